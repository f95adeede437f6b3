/*
 * Content negotiation (RFC 9110 §12.4.2, §12.5): what a header such as Accept or Accept-Encoding prefers. Names and
 * parameters have no letter case. A member with a weight that is not one is ignored, and so is a header that is too long.
 */

/** Characters of a header that lists alternatives. Those of browsers have 200. */
const MAX_HEADER_LENGTH = 2_000
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"?'
const MEMBER = new RegExp(`(?:[^,"]|${QUOTED})+`, 'g')
const PARAMETER = new RegExp(`(?:[^;"]|${QUOTED})+`, 'g')
const WEIGHT = /^q=(\d(?:\.\d*)?)$/

/** Weights from 0, which refuses, to 1, by name in small letters. */
type Weights = ReadonlyMap<string, number>

function readWeights(header: string | string[] | undefined): Weights {
  const weights = new Map<string, number>()
  const text = `${header ?? ''}`
  if (text.length > MAX_HEADER_LENGTH) return weights
  for (const [member] of text.toLowerCase().matchAll(MEMBER)) {
    const [name = '', ...parameters] = [...member.matchAll(PARAMETER)].map(([part]) =>
      part.trim().replace(/\s*=\s*/, '='),
    )
    const given = parameters.find((parameter) => parameter.startsWith('q='))
    const weight = given === undefined ? 1 : Number(WEIGHT.exec(given)?.[1])
    if (name !== '' && weight <= 1) weights.set(name, Math.max(weight, weights.get(name) ?? 0))
  }
  return weights
}

/**
 * Whether Accept asks for a media type rather than for the usual one. Of two with one weight it does if it names the type:
 * wildcards alone mean the usual one.
 */
export function prefersType(accept: string | undefined, type: string, usual: string): boolean {
  const weights = readWeights(accept)
  const weightOf = (name: string) =>
    weights.get(name) ?? weights.get(`${name.split('/', 1)[0]}/*`) ?? weights.get('*/*') ?? 0
  const wanted = weightOf(type)
  return wanted > weightOf(usual) || (wanted > 0 && wanted === weightOf(usual) && weights.has(type))
}

/**
 * The content coding of the greatest weight; of several the first. Null for none: codings that the header does not name
 * are not sent, but gzip for `*`, which all clients know.
 * @param codings that can be sent
 */
export function chooseCoding<Coding extends string>(
  header: string | string[] | undefined,
  codings: readonly Coding[],
): Coding | null {
  const weights = readWeights(header)
  const weightOf = (name: string) =>
    weights.get(name) ?? (name === 'gzip' ? (weights.get('x-gzip') ?? weights.get('*')) : undefined) ?? 0
  let best: Coding | null = null
  let most = 0
  for (const coding of codings) {
    const weight = weightOf(coding)
    if (weight > most) [best, most] = [coding, weight]
  }
  return (weights.get('identity') ?? 0) > most ? null : best
}
