const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const

/** Seconds for a person to read, in the two largest units that matter: "4.2 s", "3 min 5 s", "2 d 4 h". */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`
  let rest = Math.round(seconds)
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  if (rest > 0) parts.push(`${rest} s`)
  return parts.slice(0, 2).join(' ')
}
