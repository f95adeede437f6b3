import {
  type Context,
  type Span as OpenSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { LRUCache } from 'lru-cache'
import { withTimeout } from '../../kernel/promises.ts'
import { type Collecting, collectorAt } from './collector.ts'
import {
  EXPORT_INTERVAL_MS,
  EXPORT_TIMEOUT_MS,
  MAX_CHILD_SPANS,
  MAX_CLOCK_DRIFT_MS,
  MAX_EXPORTED_SPANS,
  MAX_LINKS,
  MAX_QUEUED_SPANS,
  MAX_WEBHOOK_PARENT_CLAIMS,
  TRACING_STOP_TIMEOUT_MS,
  WEBHOOK_PARENT_TTL_MS,
} from './limits.ts'
import { type Parent, readTraceparent, Sampling } from './sampling.ts'
import type { Attributes, Cause, QueuedRequest, Span, Tracing } from './tracing.ts'

export interface TracingOptions extends Collecting {
  serviceName: string
  version: string
  /** Id of this process among all processes of the service. */
  instance: string
  /** Share of the requests that begin a trace, from 0 to 1. */
  share: number
  /** Shorter in tests. */
  sendEveryMs?: number
  exportTimeoutMs?: number
}

/** Loaded only if there is a collector. Sets no global provider and patches no other package. */
export class OpenTelemetry implements Tracing {
  readonly #provider: TracerProvider
  readonly #tracer: Tracer
  readonly #sampling: Sampling
  readonly #causes = new LRUCache<string, Map<string, SpanContext>>({
    max: MAX_WEBHOOK_PARENT_CLAIMS,
    ttl: WEBHOOK_PARENT_TTL_MS,
  })
  #timeOrigin = performance.timeOrigin

  constructor(options: TracingOptions) {
    const { serviceName, version, instance, share } = options
    const { sendEveryMs = EXPORT_INTERVAL_MS, exportTimeoutMs = EXPORT_TIMEOUT_MS } = options
    this.#sampling = new Sampling(share)
    this.#provider = new TracerProvider({
      // Every span is recorded: `Sampling` has decided before.
      sampler: new AlwaysOnSampler(),
      resource: resourceFromAttributes({
        'service.name': serviceName,
        'service.version': version,
        'service.instance.id': instance,
      }),
      spanLimits: { attributeCountLimit: 32, attributeValueLengthLimit: 256, linkCountLimit: MAX_LINKS },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: collectorAt(options, exportTimeoutMs),
          maxQueueSize: MAX_QUEUED_SPANS,
          maxExportBatchSize: MAX_EXPORTED_SPANS,
          scheduledDelayMillis: sendEveryMs,
          exportTimeoutMillis: exportTimeoutMs + 1_000,
        }),
      ],
    })
    this.#tracer = this.#provider.getTracer('claimkeeper', version)
  }

  startRequestSpan(name: string, attributes: Attributes, traceparent: string | undefined): Span | null {
    const parent = traceparent === undefined ? null : readTraceparent(traceparent)
    if (!this.#sampling.takes(parent)) return null
    return this.#begin(name, SpanKind.SERVER, attributes, parent && contextOf(asContext(parent)))
  }

  startSharedSpan(name: string, queued: readonly QueuedRequest[], attributes: Attributes): Span {
    const now = performance.now()
    const waits = new Map<TracedSpan, number>()
    for (const { span, queuedAt } of queued) {
      const traced = span as TracedSpan
      waits.set(traced, Math.min(queuedAt, waits.get(traced) ?? queuedAt))
    }
    const [first, ...others] = [...waits.keys()].filter((span) => span.mayHaveChild())
    const shared = this.#tracer.startSpan(
      name,
      {
        kind: SpanKind.CLIENT,
        attributes: { ...attributes, 'claimkeeper.group.traced_requests': waits.size },
        startTime: this.#epochMs(now),
        links: others.slice(0, MAX_LINKS).map(({ context }) => ({ context })),
      },
      // The shared span belongs to the first trace, and the others link to it: each trace can be read on its own.
      first ? contextOf(first.context) : ROOT_CONTEXT,
    )
    for (const span of [first, ...others]) {
      if (!span) break
      const startTime = this.#epochMs(waits.get(span) as number)
      const links = [{ context: shared.spanContext() }]
      const wait = this.#tracer.startSpan('wait in the queue', { startTime, links }, contextOf(span.context))
      wait.end(this.#epochMs(now))
    }
    return new TracedSpan(shared, () => this.#epochMs(performance.now()))
  }

  recordStatus(claimId: string, status: string, span: Span): void {
    const causes = this.#causes.get(claimId) ?? new Map()
    this.#causes.set(claimId, causes.set(status, (span as TracedSpan).context))
  }

  startAttemptSpan(name: string, attributes: Attributes, { claimId, status }: Cause): Span | null {
    const cause = this.#causes.get(claimId)?.get(status() ?? '') ?? null
    if (cause === null && !this.#sampling.takes(null)) return null
    return this.#begin(name, SpanKind.CLIENT, attributes, cause && contextOf(cause))
  }

  async stop(): Promise<void> {
    await withTimeout(TRACING_STOP_TIMEOUT_MS, this.#provider.shutdown()).catch(() => {})
  }

  #begin(name: string, kind: SpanKind, attributes: Attributes, parent: Context | null): TracedSpan {
    const startTime = this.#epochMs(performance.now())
    const span = this.#tracer.startSpan(name, { kind, attributes, startTime }, parent ?? ROOT_CONTEXT)
    return new TracedSpan(span, () => this.#epochMs(performance.now()))
  }

  #epochMs(at: number): number {
    const drift = Date.now() - (this.#timeOrigin + performance.now())
    if (Math.abs(drift) > MAX_CLOCK_DRIFT_MS) this.#timeOrigin += drift
    return this.#timeOrigin + at
  }
}

class TracedSpan implements Span {
  readonly context: SpanContext
  readonly #span: OpenSpan
  readonly #now: () => number
  #children = 0

  constructor(span: OpenSpan, now: () => number) {
    this.#span = span
    this.#now = now
    this.context = span.spanContext()
  }

  get traceId(): string {
    return this.context.traceId
  }

  get traceparent(): string {
    return `00-${this.context.traceId}-${this.context.spanId}-01`
  }

  mayHaveChild(): boolean {
    return this.#children++ < MAX_CHILD_SPANS
  }

  end(attributes: Attributes = {}, error: string | null = null): void {
    this.#span.setAttributes(attributes)
    if (error !== null) {
      this.#span.setStatus({ code: SpanStatusCode.ERROR })
      this.#span.setAttribute('error.type', error)
    }
    this.#span.end(this.#now())
  }
}

const contextOf = (context: SpanContext): Context => trace.setSpanContext(ROOT_CONTEXT, context)

const asContext = ({ traceId, spanId }: Parent): SpanContext => ({
  traceId,
  spanId,
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
})
