import { MAX_CALLER_TRACES_BURST, MAX_CALLER_TRACES_PER_SECOND, MAX_TRACEPARENT_LENGTH } from './limits.ts'

/**
 * Which requests are traced: a share of those that begin a trace; of others those whose callers record theirs, too, and none
 * else. A caller may claim that of each, and choose the ids: so it gets no more than a few a second beyond the share, and
 * no id decides anything.
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

/** A span of somebody else, to which ours belong. */
export interface Parent {
  traceId: string
  spanId: string
  /** Whether the other side records it. */
  isSampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ALL_ZEROS = /^0+$/

/** The header `traceparent` (https://www.w3.org/TR/trace-context); null for one that is not valid. */
export function readTraceparent(header: string): Parent | null {
  if (header.length > MAX_TRACEPARENT_LENGTH) return null
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(spanId)) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
