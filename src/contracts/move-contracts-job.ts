import type { App } from '../app.ts'
import { type Job, shortRun } from '../platform/jobs/scheduler.ts'
import { type ContractMoves, moveContracts as moveSome } from './contract-move-store.ts'
import { MOVED_CLAIMS_BATCH_SIZE } from './limits.ts'

/**
 * Runs after an upgrade until the contracts of all claims are moved. `onProgress` is called after each run that moved
 * contracts.
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

export type { ContractMoves }

/**
 * Moves contracts that an older version stored in the rows of claims into `contracts`, batch by batch, while the
 * service runs. Continues after the last batch of any server. Null if another server is moving contracts.
 * @param isOver called after each batch
 */
export async function moveContracts(app: App, isOver: () => boolean): Promise<ContractMoves | null> {
  for (let moved = 0; ; ) {
    const moves = await app.throttle.run(() =>
      app.db.checks.transaction((connection) => moveSome(connection, MOVED_CLAIMS_BATCH_SIZE)),
    )
    if (moves === null) return null
    moved += moves.moved
    if (moves.isDone || isOver()) return { ...moves, moved }
  }
}
