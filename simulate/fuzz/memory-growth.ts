/** Memory of a server after a garbage collection, in MB. */
export interface Memory {
  heapMb: number
  /** Outside the heap: mostly buffers. */
  externalMb: number
  residentMb: number
}

/** Accepted growth of the median between the first and the last quarter. Resident memory depends on the allocator and the peak. */
const MAX_GROWTH_MB: Memory = { heapMb: 6, externalMb: 6, residentMb: 48 }
const NAMES: Record<keyof Memory, string> = {
  heapMb: 'heap',
  externalMb: 'memory outside the heap',
  residentMb: 'resident memory',
}
const MIN_SAMPLES = 12

/** Compares the medians of the first and the last quarter of the samples, so that peaks do not count. */
export function findMemoryGrowth(samples: readonly Memory[]): string[] {
  if (samples.length < MIN_SAMPLES) return []
  const quarter = Math.floor(samples.length / 4)
  const [first, last] = [samples.slice(0, quarter), samples.slice(-quarter)]
  return (Object.keys(MAX_GROWTH_MB) as (keyof Memory)[]).flatMap((kind) => {
    const [before, after] = [median(first, kind), median(last, kind)]
    if (after - before <= MAX_GROWTH_MB[kind]) return []
    return `its ${NAMES[kind]} grew from ${before.toFixed(0)} to ${after.toFixed(0)} MB`
  })
}

function median(samples: readonly Memory[], kind: keyof Memory): number {
  const sorted = samples.map((sample) => sample[kind]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}
