import { windowMs } from './contract.ts'

/** In milliseconds. */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })

/** As a window counts, in whole milliseconds: "30 days", "1 day 2 hours", "1.5 seconds"; zero is "no time". */
export function durationInWords(seconds: number): string {
  const parts: string[] = []
  let rest = windowMs(seconds)
  for (const [unit, size] of UNITS) {
    const count = unit === 'second' ? rest / size : Math.floor(rest / size)
    if (count > 0) parts.push(`${NUMBER.format(count)} ${unit}${count === 1 ? '' : 's'}`)
    rest %= size
  }
  return parts.join(' ') || 'no time'
}
