/** Memory of a server after its garbage was collected, in MB. */
export interface Memory {
  heapMb: number
  /** Beside the heap: buffers above all. */
  externalMb: number
  residentMb: number
}

/**
 * What the middle of the last quarter of a run may have more than that of the first, in MB. Resident memory hangs on the
 * allocator and on how large the largest moment was.
 */
const SLACK: Memory = { heapMb: 6, externalMb: 6, residentMb: 48 }
const NAMES: Record<keyof Memory, string> = {
  heapMb: 'heap',
  externalMb: 'memory beside the heap',
  residentMb: 'resident memory',
}
/** Of fewer marks nothing is concluded. */
const ENOUGH = 12

/** What grew from the first quarter of the marks to the last. What is there for a moment only does not count. */
export function grownMemory(marks: readonly Memory[]): string[] {
  if (marks.length < ENOUGH) return []
  const quarter = Math.floor(marks.length / 4)
  const [first, last] = [marks.slice(0, quarter), marks.slice(-quarter)]
  return (Object.keys(SLACK) as (keyof Memory)[]).flatMap((kind) => {
    const [before, after] = [middle(first, kind), middle(last, kind)]
    if (after - before <= SLACK[kind]) return []
    return `its ${NAMES[kind]} grew from ${before.toFixed(0)} to ${after.toFixed(0)} MB`
  })
}

function middle(marks: readonly Memory[], kind: keyof Memory): number {
  const sorted = marks.map((mark) => mark[kind]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}
