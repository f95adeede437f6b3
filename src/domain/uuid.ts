/** Of any version, in any case. */
export const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
const UUID = new RegExp(UUID_PATTERN)

export const isUuid = (text: string): boolean => UUID.test(text)

/** Fewer digits of a UUID of version 7 are not even its minute. */
export const MIN_PREFIX_DIGITS = 8
const HEX_PREFIX = new RegExp(`^[0-9a-f]{${MIN_PREFIX_DIGITS},32}$`)

/**
 * The hex digits of a UUID's beginning, given with its dashes or without any; null if it is no such beginning, or has fewer
 * than `MIN_PREFIX_DIGITS`.
 */
export function uuidPrefix(text: string): string | null {
  const hex = text.replaceAll('-', '').toLowerCase()
  if (!HEX_PREFIX.test(hex)) return null
  const dashed = hex.replace(/^(.{8})(.{1,4})?(.{1,4})?(.{1,4})?(.{1,12})?$/, (_, ...groups: string[]) =>
    groups.slice(0, 5).filter(Boolean).join('-'),
  )
  const given = text.toLowerCase()
  return given === hex || given === dashed || given === `${dashed}-` ? hex : null
}
