/** A UUID of any version. Case-insensitive. */
export const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
const UUID = new RegExp(UUID_PATTERN)

export const isUuid = (text: string): boolean => UUID.test(text)

/** Fewer digits of a UUID of version 7 do not even identify its minute. */
export const MIN_PREFIX_DIGITS = 8
const HEX_PREFIX = new RegExp(`^[0-9a-f]{${MIN_PREFIX_DIGITS},32}$`)

/**
 * The hex digits of a UUID's prefix, written with or without dashes. Null if it is no prefix or has fewer than
 * `MIN_PREFIX_DIGITS`.
 */
function uuidPrefix(text: string): string | null {
  const hex = text.replaceAll('-', '').toLowerCase()
  if (!HEX_PREFIX.test(hex)) return null
  const dashed = hex.replace(/^(.{8})(.{1,4})?(.{1,4})?(.{1,4})?(.{1,12})?$/, (_, ...groups: string[]) =>
    groups.slice(0, 5).filter(Boolean).join('-'),
  )
  const given = text.toLowerCase()
  return given === hex || given === dashed || given === `${dashed}-` ? hex : null
}

/** The known parts of a UUID: its first digits, and possibly its last digits. */
export interface UuidEnds {
  beginning: string
  end: string
}

/** A shortened UUID as lists show it: its first digits, an ellipsis, its last digits. */
const SHORTENED = /^([0-9a-f]{8,12})(?:…|\.\.\.)([0-9a-f]{1,12})$/

/** Accepts a prefix (`uuidPrefix`) or a shortened UUID: `01934f6e…1f0a42`. Null for any other text. */
export function uuidEnds(text: string): UuidEnds | null {
  const [, beginning, end] = SHORTENED.exec(text.toLowerCase()) ?? []
  if (beginning !== undefined && end !== undefined) return { beginning, end }
  const prefix = uuidPrefix(text)
  return prefix === null ? null : { beginning: prefix, end: '' }
}
