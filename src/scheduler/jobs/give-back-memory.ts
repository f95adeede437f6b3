import { trimAllocator } from '../../app/allocator.ts'
import { MemoryToGiveBack } from '../../app/give-back-memory.ts'
import type { Job } from '../scheduler.ts'

const collect = async () => globalThis.gc?.({ type: 'major', execution: 'async' })

/** Every ten seconds, and not when checks begin, where Node lets it: with `--expose-gc`, as `npm start` has it. */
export function giveBackMemoryJob(): Job {
  const memory = new MemoryToGiveBack(collect, trimAllocator)
  return { name: 'giving back memory', pattern: '5-55/10 * * * * *', run: () => memory.look() }
}
