import { hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import type { Tracing } from '../platform/observability/tracing.ts'

/**
 * Null if there is no collector. The packages of OpenTelemetry are loaded only if there is one.
 * @param worker which of the workers this process is, if it is one
 */
export async function startTracing(
  { otlpEndpoint, otlpHeaders, serviceName, traceShare }: Config,
  worker: number | null,
  log: FastifyBaseLogger,
): Promise<Tracing | null> {
  if (otlpEndpoint === null) return null
  const { OpenTelemetry } = await import('../platform/observability/open-telemetry.ts')
  return new OpenTelemetry({
    url: otlpEndpoint,
    headers: otlpHeaders ?? {},
    serviceName,
    version: packageJson.version,
    instance: `${hostname()}/${process.pid}${worker === null ? '' : `/${worker}`}`,
    share: traceShare,
    // Its URL may hold a password.
    onLost: (spans, reason) =>
      log.warn({ spans, reason, collector: new URL(otlpEndpoint).host }, 'the collector took no spans'),
  })
}
