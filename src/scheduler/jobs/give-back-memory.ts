import { AllocatorToTrim } from '../../app/allocator.ts'
import { MemoryToGiveBack } from '../../app/give-back-memory.ts'
import type { Job } from '../scheduler.ts'

/** Every ten seconds, and not when checks begin, where Node lets it: with `--expose-gc`, as `npm start` has it. */
export function giveBackMemoryJob(): Job {
  const memory = new MemoryToGiveBack(async () => globalThis.gc?.({ type: 'major', execution: 'async' }))
  return { name: 'giving back memory', pattern: '5-55/10 * * * * *', run: () => memory.look() }
}

/** Every second: a few large requests are enough, and it takes a few milliseconds. */
export function trimAllocatorJob(): Job {
  const allocator = new AllocatorToTrim()
  return { name: 'trimming the allocator', pattern: '* * * * * *', run: async () => allocator.look() }
}
