import type { Agent } from 'node:http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { LOST_SPANS_LOG_INTERVAL_MS } from './limits.ts'

export interface Collecting {
  /** Of the collector, to which `/v1/traces` is added. */
  url: string
  headers: Record<string, string>
  /** Told that spans were lost: how many since the last time, and why the last of them. */
  onLost: (spans: number, reason: string) => void
}

/** Where spans are sent; says seldom that it does not take them. */
export function collectorAt({ url, headers, onLost }: Collecting, timeoutMillis: number): SpanExporter {
  const exporter = new OTLPTraceExporter({
    url: `${url}/v1/traces`,
    headers,
    timeoutMillis,
    concurrencyLimit: 16,
    httpAgentOptions: (protocol: string) => boundedAgent(protocol, timeoutMillis),
  })
  let lost = 0
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        // 0 is success. Its message may be the collector's; its body or the headers are not in it.
        if (result.code !== 0) {
          lost += spans.length
          const now = performance.now()
          if (now - toldAt >= LOST_SPANS_LOG_INTERVAL_MS) {
            onLost(lost, reasonOf(result.error))
            toldAt = now
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
 * Each connection carries one request, and ends after so long: the exporter itself bounds only the silence between two pieces of
 * an answer, so one that trickles for ever would keep its place.
 */
async function boundedAgent(protocol: string, longestMs: number): Promise<Agent> {
  const { Agent } = protocol === 'https:' ? await import('node:https') : await import('node:http')
  const agent = new Agent({ keepAlive: false })
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, connected) => {
    const socket = connect(options, connected)
    const end = setTimeout(() => socket?.destroy(), longestMs)
    socket?.once('close', () => clearTimeout(end))
    return socket
  }
  return agent
}

function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  const { code } = error ?? {}
  return `${error?.message || (code ?? 'no answer')}`.slice(0, 200)
}
