import { Histogram, type HistogramData } from './load/histogram.ts'

/** What a measurement tells, ours or the yardstick's. Latencies in milliseconds, processor shares of one core. */
export interface Measured {
  perSecond: number
  latency: HistogramData
  clientCpu: number | null
  serverCpu: number | null
  databaseCpu: number | null
}

export interface Percentiles {
  p50: number
  p99: number
  p999: number
}

export function percentilesOf(...parts: HistogramData[]): Percentiles {
  const histogram = Histogram.of(...parts)
  return { p50: histogram.percentile(50), p99: histogram.percentile(99), p999: histogram.percentile(99.9) }
}

/** The middle one; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no median of nothing')
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] as number) + (sorted[Math.floor(middle)] as number)) / 2
}

/** The rounds of one kind as one: the median rate, the latencies of all. */
export function together(rounds: readonly Measured[]): Measured {
  const share = (pick: (round: Measured) => number | null) => {
    const known = rounds.map(pick).filter((value) => value !== null)
    return known.length === 0 ? null : median(known)
  }
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    latency: Histogram.of(...rounds.map(({ latency }) => latency)).toData(),
    clientCpu: share(({ clientCpu }) => clientCpu),
    serverCpu: share(({ serverCpu }) => serverCpu),
    databaseCpu: share(({ databaseCpu }) => databaseCpu),
  }
}
