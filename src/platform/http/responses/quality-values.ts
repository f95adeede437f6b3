/*
 * Content negotiation with Accept and Accept-Encoding (RFC 9110 §12.4.2, §12.5). Names and parameters are case-insensitive.
 * A member with an invalid weight is ignored, and so is a header that is too long.
 */

/** Characters. Headers of browsers have about 200. */
const MAX_HEADER_LENGTH = 2_000
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"?'
const MEMBER = new RegExp(`(?:[^,"]|${QUOTED})+`, 'g')
const PARAMETER = new RegExp(`(?:[^;"]|${QUOTED})+`, 'g')
const WEIGHT = /^q=(\d(?:\.\d*)?)$/

/** Weights by lower-case name, from 0 (not acceptable) to 1. */
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
 * Whether Accept prefers a media type to the default one. If both have the same weight, it does if it names the type: a wildcard
 * alone means the default.
 */
export function prefersType(accept: string | undefined, type: string, defaultType: string): boolean {
  const weights = readWeights(accept)
  const weightOf = (name: string) =>
    weights.get(name) ?? weights.get(`${name.split('/', 1)[0]}/*`) ?? weights.get('*/*') ?? 0
  const wanted = weightOf(type)
  return (
    wanted > weightOf(defaultType) || (wanted > 0 && wanted === weightOf(defaultType) && weights.has(type))
  )
}

/**
 * The content coding with the greatest weight, and the first of several. Null for none: codings that the header does not name
 * are not sent, except gzip for `*`, because all clients support it.
 * @param codings that the server supports, the preferred first
 */
export function chooseCoding<Coding extends string>(
  header: string | string[] | undefined,
  codings: readonly Coding[],
): Coding | null {
  const weights = readWeights(header)
  const weightOf = (name: string) =>
    weights.get(name) ?? (name === 'gzip' ? (weights.get('x-gzip') ?? weights.get('*')) : undefined) ?? 0
  let best: Coding | null = null
  let bestWeight = 0
  for (const coding of codings) {
    const weight = weightOf(coding)
    if (weight > bestWeight) [best, bestWeight] = [coding, weight]
  }
  return (weights.get('identity') ?? 0) > bestWeight ? null : best
}
