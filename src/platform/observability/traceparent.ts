/** A span of somebody else, to which ours belong. */
export interface Parent {
  traceId: string
  spanId: string
  /** Whether the other side records it. */
  isSampled: boolean
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const LONGEST = 200
const NONE = /^0+$/

/** The header `traceparent` (https://www.w3.org/TR/trace-context); null for one that is not valid. */
export function readTraceparent(header: string): Parent | null {
  if (header.length > LONGEST) return null
  const [, version, traceId = '', spanId = '', flags = '', rest] = FORM.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null
  if (NONE.test(traceId) || NONE.test(spanId)) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
