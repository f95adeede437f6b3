const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })

/** Exact: "30 days", "1 day 2 hours", "1.5 seconds"; zero is "no time". */
export function durationInWords(seconds: number): string {
  const parts: string[] = []
  let rest = seconds
  for (const [unit, size] of UNITS) {
    const count = unit === 'second' ? Number(rest.toFixed(3)) : Math.floor(rest / size)
    if (count > 0) parts.push(`${NUMBER.format(count)} ${unit}${count === 1 ? '' : 's'}`)
    rest -= count * size
  }
  return parts.join(' ') || 'no time'
}

/** Rounded to its two largest units, in few characters: "3d 4h", "12m 05s". */
export function shortDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const [d, h, m, s] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ]
  const two = (count: number) => String(count).padStart(2, '0')
  if (d > 0) return d > 99 || h === 0 ? `${NUMBER.format(d)}d` : `${d}d ${two(h)}h`
  if (h > 0) return m === 0 ? `${h}h` : `${h}h ${two(m)}m`
  return m > 0 ? `${m}m ${two(s)}s` : `${s}s`
}
