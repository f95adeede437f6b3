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
