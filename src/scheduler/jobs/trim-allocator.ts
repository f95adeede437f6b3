import { AllocatorToTrim } from '../../app/memory/allocator.ts'
import type { Job } from '../scheduler.ts'

/** Every second: a few large requests are enough; what it takes: `app/memory/allocator.ts`. */
export function trimAllocatorJob(): Job {
  const allocator = new AllocatorToTrim()
  return { name: 'trimming the allocator', pattern: '* * * * * *', run: async () => allocator.look() }
}
