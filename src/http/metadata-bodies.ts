import { Type } from 'typebox'
import {
  LONGEST_METADATA_KEY,
  LONGEST_METADATA_VALUE,
  type Metadata,
  type MetadataChange,
  MOST_METADATA_FILTERS,
  MOST_METADATA_KEYS,
} from '../domain/metadata.ts'
import { validationError } from '../errors.ts'

const WHAT = `What the caller notes about it: up to ${MOST_METADATA_KEYS} keys of ${LONGEST_METADATA_KEY} characters, with values of ${LONGEST_METADATA_VALUE}.`
const EXAMPLE = { order: 'A-4711', region: 'emea' }
const OF_STRINGS = {
  type: 'object',
  maxProperties: MOST_METADATA_KEYS,
  propertyNames: { type: 'string', minLength: 1, maxLength: LONGEST_METADATA_KEY },
  additionalProperties: { type: 'string', maxLength: LONGEST_METADATA_VALUE },
}

/** Of a record (§2.14). */
export const MetadataBody = Type.Unsafe<Metadata>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'What callers note about it; no decision looks at it.',
  examples: [EXAMPLE],
})

/** Of a new record. */
export const NewMetadata = Type.Unsafe<Metadata>({ ...OF_STRINGS, description: WHAT, examples: [EXAMPLE] })

/** Of a change. */
export const MetadataChangeBody = Type.Unsafe<MetadataChange>({
  ...OF_STRINGS,
  type: ['object', 'null'],
  // Some may be taken away.
  maxProperties: 2 * MOST_METADATA_KEYS,
  additionalProperties: { type: ['string', 'null'], maxLength: LONGEST_METADATA_VALUE },
  description:
    'The keys that change, with their new values; null takes a key away, and in place of the object everything. Keys that are not named stay.',
  examples: [{ region: 'apac', order: null }],
})

const Value = Type.String({
  maxLength: LONGEST_METADATA_VALUE,
  description: `Only those whose metadata has this value at this key: \`metadata[order]=A-4711\`. Of several, ${MOST_METADATA_FILTERS} at most, all must fit.`,
  examples: [EXAMPLE],
})

/** Filters of a list: `metadata[order]=A-4711`. The key that is named here stands for any, in the documents too. */
export const METADATA_FILTERS = { 'metadata[key]': Type.Optional(Value) }

/** Any others of them. */
export const METADATA_PATTERN = {
  [`^metadata\\[[\\s\\S]{1,${LONGEST_METADATA_KEY}}\\]$`]: {
    type: 'string',
    maxLength: LONGEST_METADATA_VALUE,
  },
}

const FILTER = /^metadata\[([\s\S]+)\]$/

/** The pairs that are asked for; undefined for none. @throws VALIDATION_ERROR if they are too many */
export function metadataOf(query: object): Metadata | undefined {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const [, key] = FILTER.exec(name) ?? []
    return key === undefined ? [] : [[key, value as string]]
  })
  if (pairs.length > MOST_METADATA_FILTERS)
    throw validationError([
      { path: 'metadata', message: `must not be asked for by more than ${MOST_METADATA_FILTERS} keys` },
    ])
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}
