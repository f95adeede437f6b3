/*
 * Content negotiation with Accept and Accept-Encoding (RFC 9110 §12.4.2, §12.5). Names and parameters are case-insensitive.
 * Members of the list with an invalid weight are ignored. Headers over MAX_NEGOTIATION_HEADER_LENGTH are ignored too.
 */
import { MAX_NEGOTIATION_HEADER_LENGTH } from '../limits.ts'

/** A quoted string, or the rest of the header if the string is not closed. */
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"?'
const MEMBER = new RegExp(`(?:[^,"]|${QUOTED})+`, 'g')
const PARAMETER = new RegExp(`(?:[^;"]|${QUOTED})+`, 'g')
const WEIGHT = /^q=(\d(?:\.\d*)?)$/

/** Weights by lower-case name, from 0 (not acceptable) to 1. */
type Weights = ReadonlyMap<string, number>

function readWeights(header: string | string[] | undefined): Weights {
  const weights = new Map<string, number>()
  const text = `${header ?? ''}`
  if (text.length > MAX_NEGOTIATION_HEADER_LENGTH) return weights
  for (const [member] of text.toLowerCase().matchAll(MEMBER)) {
    const [name = '', ...parameters] = [...member.matchAll(PARAMETER)].map(([part]) =>
      part.trim().replace(/\s*=\s*/, '='),
    )
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    const weight = quality === undefined ? 1 : Number(WEIGHT.exec(quality)?.[1])
    if (name !== '' && weight <= 1) weights.set(name, Math.max(weight, weights.get(name) ?? 0))
  }
  return weights
}

/**
 * Whether Accept prefers a media type to the default type. If both types have the same weight, the media type is preferred only if
 * Accept names it, and not if it only matches a wildcard.
 */
export function prefersType(accept: string | undefined, type: string, defaultType: string): boolean {
  const weights = readWeights(accept)
  const weightOf = (name: string) =>
    weights.get(name) ?? weights.get(`${name.split('/', 1)[0]}/*`) ?? weights.get('*/*') ?? 0
  const weight = weightOf(type)
  const defaultWeight = weightOf(defaultType)
  return weight > defaultWeight || (weight > 0 && weight === defaultWeight && weights.has(type))
}

/**
 * The content coding with the greatest weight; of codings with equal weights, the first. Null for no coding. The header must name
 * a coding, except gzip, which `*` allows too because all clients support it.
 * @param codings that the server supports, in the order of its preference
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
