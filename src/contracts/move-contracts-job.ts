import type { App } from '../app.ts'
import type { Job } from '../platform/jobs/scheduler.ts'
import { shortRun } from '../platform/jobs/short-run.ts'
import { type ContractMoves, moveContracts } from './move-contracts.ts'

/**
 * After an upgrade, until the contracts of all claims are moved; then it does nothing. `onProgress` hears of
 * each run that moved some.
 */
export function moveContractsJob(app: App, onProgress: (moves: ContractMoves) => void): Job {
  let isDone = false
  return {
    name: 'moving contracts',
    every: 3,
    run: async () => {
      if (isDone) return
      const moves = await moveContracts(app, shortRun())
      if (moves && moves.moved > 0) onProgress(moves)
      isDone = moves?.isDone ?? false
    },
  }
}
