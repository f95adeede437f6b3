import type { App } from '../app.ts'
import { takeCheckTurns } from './check-turn-store.ts'
import { listDueWhereReached } from './due-claim-store.ts'
import { inBatches, moveBatch, readBatch } from './move-batch.ts'

/** Due claims of a shard that are looked at in one go. */
const LISTED_OF_SHARD = 5_000
const MOST_ROUNDS = 10

/**
 * After a check of distributed tables has failed: checks these shards, if their turns can be had, each by itself, as far as
 * they can be read and written. Of one that fails the rest is left to the next check.
 */
export async function checkWhatIsReached(
  app: App,
  checkTime: Date,
  isOver: () => boolean,
  left: readonly number[],
): Promise<void> {
  const { checks } = app.db
  await checks.transaction(async (turn) => {
    const shards = new Set(await takeCheckTurns(turn, left, left.length))
    for (let round = 0; round < MOST_ROUNDS && shards.size > 0 && !isOver(); round++) {
      const ids = await listDueWhereReached(checks, checkTime, LISTED_OF_SHARD)
      let moved = 0
      for (const shard of [...shards]) {
        try {
          for (const batch of inBatches(checks, [shard], ids))
            moved += await moveBatch(app, checkTime, await readBatch(checks, checkTime, batch))
        } catch {
          // Why the check has failed is told already.
          shards.delete(shard)
        }
      }
      if (moved === 0) return
    }
  })
}
