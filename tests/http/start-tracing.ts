import { after } from 'node:test'
import { OpenTelemetry } from '../../src/platform/observability/open-telemetry.ts'

/** Exports spans of a share of the traces to a collector until the test file ends. */
export function startTracing(url: string, share: number) {
  const lost: [number, string][] = []
  const tracing = new OpenTelemetry({
    url,
    headers: { 'api-key': 'of the collector' },
    serviceName: 'claims',
    version: '1.2.3',
    instance: 'here/1',
    share,
    onLost: (spans, reason) => lost.push([spans, reason]),
    sendEveryMs: 50,
    exportTimeoutMs: 1_000,
  })
  after(() => tracing.stop())
  return { tracing, lost }
}
