import type { App } from '../app.ts'
import { type Job, shortRun } from '../platform/jobs/scheduler.ts'
import { type ContractMoves, moveContracts as moveSome } from './contract-move-store.ts'
import { MOVED_CLAIMS_BATCH_SIZE } from './limits.ts'

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

export type { ContractMoves }

/**
 * Moves contracts that an older version stored with each claim to where each is once, batch by batch, while the
 * service works. Goes on where it, or another server, stopped. Null if another server is at it.
 * @param isOver asked after each batch
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
