import type { App } from '../../app/app.ts'
import { type ContractMoves, moveContracts } from '../../app/claims/move-contracts.ts'

import type { Job } from '../scheduler.ts'

/** Of each run, so that a server that stops does not wait for it. */
const LONGEST_MS = 2_000

/**
 * After an upgrade, until the contracts of all claims are moved; then it does nothing. `onProgress` hears of
 * each run that moved some.
 */
export function moveContractsJob(app: App, onProgress: (moves: ContractMoves) => void): Job {
  let isDone = false
  return {
    name: 'moving contracts',
    pattern: '1-58/3 * * * * *',
    run: async () => {
      if (isDone) return
      const startedAt = performance.now()
      const moves = await moveContracts(app, () => performance.now() - startedAt >= LONGEST_MS)
      if (moves && moves.moved > 0) onProgress(moves)
      isDone = moves?.isDone ?? false
    },
  }
}
