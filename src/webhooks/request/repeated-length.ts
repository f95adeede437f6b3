const BLANK_LINE = '\r\n\r\n'
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: |\r|$)/

export interface ReadAnswer {
  status: number
  retryAfter: string[]
  /** As much as was received. */
  body: string
}

/**
 * Parses a response that repeats the same Content-Length. RFC 9110 §8.6 allows a client to accept it, and other clients do.
 * Node's parser refuses it, also with `insecureHTTPParser`.
 * @param received the bytes that the connection received since the request, in Latin 1
 * @returns null for any other response
 */
export function readRepeatedLength(received: string): ReadAnswer | null {
  let rest = received
  for (;;) {
    const end = rest.indexOf(BLANK_LINE)
    const status = Number(STATUS_LINE.exec(rest)?.[1])
    if (end < 0 || Number.isNaN(status)) return null
    const head = rest.slice(0, end)
    rest = rest.slice(end + BLANK_LINE.length)
    if (status < 200) continue
    if (valuesOf(head, 'transfer-encoding').length > 0) return null
    const lengths = valuesOf(head, 'content-length').flatMap((value) => value.split(','))
    const [length, ...others] = lengths.map((value) => value.trim())
    if (length === undefined || !/^\d{1,15}$/.test(length) || others.length === 0) return null
    if (others.some((other) => other !== length)) return null
    return { status, retryAfter: valuesOf(head, 'retry-after'), body: rest.slice(0, Number(length)) }
  }
}

function valuesOf(head: string, name: string): string[] {
  return head
    .split('\r\n')
    .slice(1)
    .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])
    .flatMap(([key, value = '']) => (key === name ? [value] : []))
}
