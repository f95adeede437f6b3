import { Histogram, type HistogramData } from './load/histogram.ts'

/** The result of a measurement. Latencies in milliseconds, CPU as shares of one core. */
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

/** For an even number of values, the mean of the two middle values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no median of nothing')
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] as number) + (sorted[Math.floor(middle)] as number)) / 2
}

/** Combines rounds: the median rate and CPU shares, the latencies of all rounds. */
export function combineRounds(rounds: readonly Measured[]): Measured {
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
