/* What a `datetime-local` field holds: a time of this device's zone, without saying so. */

const two = (n: number) => String(n).padStart(2, '0')

export function toLocalTime(iso: string): string {
  const at = new Date(iso)
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Null if it is empty or no time. */
export function fromLocalTime(text: string): string | null {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
