import { Type } from 'typebox'
import { validationError } from '../../../kernel/errors.ts'
import {
  MAX_METADATA_FILTERS,
  MAX_METADATA_KEY_LENGTH,
  MAX_METADATA_KEYS,
  MAX_METADATA_VALUE_LENGTH,
} from '../../../kernel/limits.ts'
import type { Metadata, MetadataChange } from '../../../kernel/metadata.ts'

const DESCRIPTION = `Notes of the caller: up to ${MAX_METADATA_KEYS} keys of ${MAX_METADATA_KEY_LENGTH} characters, with values of ${MAX_METADATA_VALUE_LENGTH} characters.`
const EXAMPLE = { order: 'A-4711', region: 'emea' }
const STRING_VALUES = {
  type: 'object',
  maxProperties: MAX_METADATA_KEYS,
  propertyNames: { type: 'string', minLength: 1, maxLength: MAX_METADATA_KEY_LENGTH },
  additionalProperties: { type: 'string', maxLength: MAX_METADATA_VALUE_LENGTH },
}

/** The metadata of a record (§2.14). */
export const MetadataBody = Type.Unsafe<Metadata>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Notes of callers. No decision reads them.',
  examples: [EXAMPLE],
})

/** For a new record. */
export const NewMetadata = Type.Unsafe<Metadata>({
  ...STRING_VALUES,
  description: DESCRIPTION,
  examples: [EXAMPLE],
})

/** For a change. */
export const MetadataChangeBody = Type.Unsafe<MetadataChange>({
  ...STRING_VALUES,
  type: ['object', 'null'],
  // A change may also remove keys.
  maxProperties: 2 * MAX_METADATA_KEYS,
  additionalProperties: { type: ['string', 'null'], maxLength: MAX_METADATA_VALUE_LENGTH },
  description:
    'The keys to change, with their new values. Null removes a key; null in place of the object removes all keys. Other keys stay.',
  examples: [{ region: 'apac', order: null }],
})

const Value = Type.String({
  maxLength: MAX_METADATA_VALUE_LENGTH,
  description: `Only records whose metadata has this value at this key: \`metadata[order]=A-4711\`. At most ${MAX_METADATA_FILTERS} keys; all must match.`,
  examples: [EXAMPLE],
})

/** Filters of a list: `metadata[order]=A-4711`. `key` stands for any key, also in the documentation. */
export const METADATA_FILTERS = { 'metadata[key]': Type.Optional(Value) }

/** Further filters with other keys. */
export const METADATA_PATTERN = {
  [`^metadata\\[[\\s\\S]{1,${MAX_METADATA_KEY_LENGTH}}\\]$`]: {
    type: 'string',
    maxLength: MAX_METADATA_VALUE_LENGTH,
  },
}

const FILTER = /^metadata\[([\s\S]+)\]$/

/** The requested pairs. Undefined for none. @throws VALIDATION_ERROR for too many */
export function metadataOf(query: object): Metadata | undefined {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const [, key] = FILTER.exec(name) ?? []
    return key === undefined ? [] : [[key, value as string]]
  })
  if (pairs.length > MAX_METADATA_FILTERS)
    throw validationError([
      { path: 'metadata', message: `must not be filtered by more than ${MAX_METADATA_FILTERS} keys` },
    ])
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}
