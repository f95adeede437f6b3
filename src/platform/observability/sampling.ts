import { MAX_CALLER_TRACES_BURST, MAX_CALLER_TRACES_PER_SECOND, MAX_TRACEPARENT_LENGTH } from './limits.ts'

/**
 * Decides which requests are traced: a share of the requests that begin a trace, and requests whose caller records
 * its trace too. A caller could claim that for every request and choose the ids. So beyond the share only a few such
 * requests a second are traced, and no id affects the decision.
 */
export class Sampling {
  readonly #share: number
  #left = MAX_CALLER_TRACES_BURST
  #leftAt: number

  /** @param share from 0 to 1 */
  constructor(share: number, now = performance.now()) {
    this.#share = share
    this.#leftAt = now
  }

  takes(parent: Parent | null, now = performance.now()): boolean {
    if (parent?.isSampled === false) return false
    if (Math.random() < this.#share) return true
    return parent !== null && this.#takeOfCallers(now)
  }

  #takeOfCallers(now: number): boolean {
    const gained = ((now - this.#leftAt) / 1_000) * MAX_CALLER_TRACES_PER_SECOND
    this.#left = Math.min(MAX_CALLER_TRACES_BURST, this.#left + gained)
    this.#leftAt = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}

/** The parent span, which another service records. */
export interface Parent {
  traceId: string
  spanId: string
  /** Whether the other service records the trace. */
  isSampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ALL_ZEROS = /^0+$/

/** The header `traceparent` (https://www.w3.org/TR/trace-context). Null if it is invalid. */
export function readTraceparent(header: string): Parent | null {
  if (header.length > MAX_TRACEPARENT_LENGTH) return null
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(spanId)) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
