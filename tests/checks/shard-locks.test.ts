import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { inAMinute } from '../support/check-time.ts'
import { contractWith } from '../support/contracts.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { lockShards, runScheduledCheck } from '../support/source/decisions.ts'

const skip = !isOnCitus() && 'there is one shard'

describe('servers share a scheduled check shard by shard', { skip }, async () => {
  const service = await startProxiedService({ after })
  const { api, app, proxy } = service
  const { distribution } = app.db
  const customer = await api.customer('acme')

  async function dueClaims(count: number): Promise<void> {
    const { id } = await api.claim(customer, contractWith({ activity_window: 0.001, review_window: 86_400 }))
    await service.sql(COPY_CLAIM, [id, count - 1])
  }

  /** Of each shard, how many claims are still due. */
  async function dueByShard(): Promise<Map<number, number>> {
    const rows = await service.sql("SELECT id FROM claims WHERE status = 'OPEN'")
    const shards = Map.groupBy(rows, ({ id }) => distribution.shardOf(id as string))
    return new Map([...shards].map(([shard, { length }]) => [shard, length]))
  }

  test('a check moves the claims of shards that no other server has locked, and waits for the rest', async () => {
    await dueClaims(200)
    const due = await dueByShard()
    assert.equal(due.size, distribution.shards)
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const other = app.db.transaction(async (connection) => {
      assert.deepEqual(await lockShards(connection, [1], 1), [1])
      take()
      await released
    })
    await taken
    const check = runScheduledCheck(app, inAMinute(), () => {
      void dueByShard().then((left) => {
        if (left.size === 1 && left.get(1) === due.get(1)) release()
      })
      return false
    })
    assert.equal(await check, 200)
    await other
    assert.deepEqual(await dueByShard(), new Map())
  })

  test('if one shard cannot be reached, a check moves the claims of all others before it fails', async () => {
    await dueClaims(200)
    for (const state of ['08006', '57014']) {
      proxy.inject({ statement: 'list_due' }, { refused: state })
      await assert.rejects(runScheduledCheck(app, inAMinute()), { code: 'UNAVAILABLE' })
      assert.deepEqual(await dueByShard(), new Map())
      await dueClaims(50)
    }
  })
})
