import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { startLoopbackServer } from './loopback-server.ts'
import type { Scope } from './test-database.ts'

interface CollectedSpan {
  name: string
  /** Numbers of OTLP: 2 server, 3 client. */
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string
  links: { traceId: string; spanId: string }[]
  attributes: Record<string, string | number | boolean>
  /** Attributes of the process. */
  resource: Record<string, string | number | boolean>
  startMs: number
  endMs: number
  isError: boolean
}

export interface Collector {
  url: string
  spans: CollectedSpan[]
  /** Headers of the received requests. */
  headers: IncomingHttpHeaders[]
  /** Sets the response from now on. */
  answer: (reply: (response: ServerResponse) => unknown) => void
  close: () => Promise<void>
}

interface OtlpSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  links?: { traceId: string; spanId: string }[]
  attributes: OtlpAttribute[]
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code: number }
}
interface OtlpAttribute {
  key: string
  value: { stringValue?: string; intValue?: string | number; doubleValue?: number; boolValue?: boolean }
}
interface OtlpTraces {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

/** A collector that accepts OTLP over HTTP as JSON, and responds with 200. */
export async function startCollector(t: Scope): Promise<Collector> {
  let reply = (response: ServerResponse): unknown =>
    response.setHeader('Content-Type', 'application/json').end('{}')
  const spans: CollectedSpan[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = await startLoopbackServer(t, async (request, response) => {
    try {
      const { resourceSpans } = (await json(request)) as OtlpTraces
      if (request.url !== '/v1/traces') return response.writeHead(404).end()
      headers.push(request.headers)
      for (const { resource, scopeSpans } of resourceSpans)
        for (const one of scopeSpans.flatMap((scope) => scope.spans))
          spans.push(readSpan(one, toRecord(resource.attributes)))
      return await reply(response)
    } catch {
      return response.destroy()
    }
  })
  return {
    ...server,
    spans,
    headers,
    answer: (next) => {
      reply = next
    },
  }
}

const readSpan = (span: OtlpSpan, resource: CollectedSpan['resource']): CollectedSpan => ({
  name: span.name,
  kind: span.kind,
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId ?? '',
  links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
  attributes: toRecord(span.attributes),
  resource,
  startMs: Number(span.startTimeUnixNano) / 1e6,
  endMs: Number(span.endTimeUnixNano) / 1e6,
  isError: span.status.code === 2,
})

const toRecord = (attributes: OtlpAttribute[]): CollectedSpan['attributes'] =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? boolValue ?? Number(intValue ?? doubleValue),
    ]),
  )
