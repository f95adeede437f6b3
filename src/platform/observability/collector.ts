import type { Agent } from 'node:http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { LOST_SPANS_LOG_INTERVAL_MS } from './limits.ts'

export interface Collecting {
  /** URL of the collector. `/v1/traces` is appended. */
  url: string
  headers: Record<string, string>
  /** Called when spans were lost, with their number since the last call and the last reason. */
  onLost: (spans: number, reason: string) => void
}

/** The exporter of spans. Logs lost spans at intervals. */
export function collectorAt({ url, headers, onLost }: Collecting, timeoutMillis: number): SpanExporter {
  const exporter = new OTLPTraceExporter({
    url: `${url}/v1/traces`,
    headers,
    timeoutMillis,
    concurrencyLimit: 16,
    httpAgentOptions: (protocol: string) => boundedAgent(protocol, timeoutMillis),
  })
  let lost = 0
  let reportedAt = Number.NEGATIVE_INFINITY
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        // 0 is success. The message may come from the collector. It contains neither the body nor the headers.
        if (result.code !== 0) {
          lost += spans.length
          const now = performance.now()
          if (now - reportedAt >= LOST_SPANS_LOG_INTERVAL_MS) {
            onLost(lost, reasonOf(result.error))
            reportedAt = now
            lost = 0
          }
        }
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  }
}

/**
 * Limits each connection to one request and a total time. The exporter limits only the pause between two chunks, so a
 * response that trickles would occupy a connection forever.
 */
async function boundedAgent(protocol: string, timeoutMs: number): Promise<Agent> {
  const { Agent } = protocol === 'https:' ? await import('node:https') : await import('node:http')
  const agent = new Agent({ keepAlive: false })
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, connected) => {
    const socket = connect(options, connected)
    const end = setTimeout(() => socket?.destroy(), timeoutMs)
    socket?.once('close', () => clearTimeout(end))
    return socket
  }
  return agent
}

function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  const { code } = error ?? {}
  return `${error?.message || (code ?? 'no answer')}`.slice(0, 200)
}
