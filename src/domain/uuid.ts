/** Of any version, in any case. */
export const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
const UUID = new RegExp(UUID_PATTERN)

export const isUuid = (text: string): boolean => UUID.test(text)

/** The hex digits of a UUID's beginning, given with its dashes or without any; null if it is no such beginning. */
export function uuidPrefix(text: string): string | null {
  const hex = text.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{1,32}$/.test(hex)) return null
  const dashed = hex.replace(/^(.{8})(.{1,4})?(.{1,4})?(.{1,4})?(.{1,12})?$/, (_, ...groups: string[]) =>
    groups.slice(0, 5).filter(Boolean).join('-'),
  )
  const given = text.toLowerCase()
  return given === hex || given === dashed || given === `${dashed}-` ? hex : null
}
