import { MemoryToGiveBack } from '../../app/memory/give-back-memory.ts'
import type { Job } from '../scheduler.ts'

/** Every ten seconds, and not when checks begin, if Node lets it: with `--expose-gc`, as `npm start` has it. */
export function giveBackMemoryJob(): Job {
  const memory = new MemoryToGiveBack(async () => globalThis.gc?.({ type: 'major', execution: 'async' }))
  return { name: 'giving back memory', pattern: '5-55/10 * * * * *', run: () => memory.look() }
}
