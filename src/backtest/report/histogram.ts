import type { Totals } from '../totals.ts'
import { duration } from './figures.ts'

const SECOND = 1000
const [MINUTE, HOUR, DAY] = [60 * SECOND, 3600 * SECOND, 86_400 * SECOND]

/** Widths that people count in. */
const WIDTHS = [
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].map((count) => count * DAY),
]
const BINS = 24
/** What is longer than this share of all others goes into one last bin, or a few would press all to the left. */
const SHARE_SHOWN = 0.99

export interface Bin {
  label: string
  confirmed: number
  failed: number
}

/** How many cases took how long; bins of one width, the last one open if a few took much longer. */
export function resolutionBins({ resolution }: Totals): Bin[] {
  const lists = [resolution.CONFIRMED.sorted, resolution.FAILED.sorted] as const
  const longest = Math.max(lists[0].at(-1) ?? 0, lists[1].at(-1) ?? 0)
  const shown = Math.max(...lists.map((sorted) => sorted[Math.floor((sorted.length - 1) * SHARE_SHOWN)] ?? 0))
  if (lists[0].length + lists[1].length === 0) return []
  const width = WIDTHS.find((candidate) => shown / candidate < BINS) ?? (WIDTHS.at(-1) as number)
  const count = Math.floor(shown / width) + 1
  const isCut = longest >= count * width
  const bins = Array.from({ length: count + (isCut ? 1 : 0) }, (_, i) => ({
    label:
      i === count
        ? `${duration(i * width)} or longer`
        : `${duration(i * width)} to ${duration((i + 1) * width)}`,
    confirmed: 0,
    failed: 0,
  }))
  const binOf = (time: number) => bins[Math.min(Math.floor(time / width), bins.length - 1)] as Bin
  for (const time of lists[0]) binOf(time).confirmed++
  for (const time of lists[1]) binOf(time).failed++
  return bins
}
