import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newClaimBatcher } from '../../src/platform/database/statement-batcher.ts'
import { distributionOver } from '../support/distribution-over.ts'
import { sharedService } from '../support/shared.ts'
import {
  Database,
  DatabaseUnavailable,
  type Distribution,
  SERVICE_ACCOUNT,
} from '../support/source/database.ts'

/* Statements about claims on two machines. The items are claim ids. Machine 1 does not answer. */

const { databaseUrl: connectionString } = await sharedService()
const LOWEST = [-(2 ** 31), -(2 ** 30), 0, 2 ** 30]

function newWatched() {
  const distribution = distributionOver(LOWEST, [1, 2, 1, 2])
  const db = new Database({ connectionString, poolSize: 16, distribution })
  after(() => db.close())
  const silence = Promise.withResolvers<void>()
  silence.promise.catch(() => {})
  const batches: string[][] = []
  const batcher = newClaimBatcher<string, number>(db, {
    db: db.reads.for(SERVICE_ACCOUNT),
    claimIdOf: (id) => id,
    maxWeight: 100,
    weightOf: () => 1,
    run: async (_, ids) => {
      batches.push([...ids])
      if (distribution.nodeOf(ids[0] as string) === 1) await silence.promise
      return ids.map((id) => distribution.shardOf(id))
    },
  })
  return { db, distribution, batcher, batches, silence }
}

/** New ids by shard, `count` of each. */
function idsByShard(distribution: Distribution, count: number): string[][] {
  const ids: string[][] = LOWEST.map(() => [])
  while (ids.some(({ length }) => length < count)) {
    const id = crypto.randomUUID()
    const ofShard = ids[distribution.shardOf(id)] as string[]
    if (ofShard.length < count) ofShard.push(id)
  }
  return ids
}

test('a node that does not answer delays only its own claims, and a batch has claims of all shards of a node', async () => {
  const { distribution, batcher, batches, silence } = newWatched()
  const [a = [], b = [], c = [], d = []] = idsByShard(distribution, 5)
  const held = [...a, ...c].map((id) => batcher.submit('account', id))
  const answered = await Promise.all([...b, ...d].map((id) => batcher.submit('account', id)))
  assert.deepEqual(answered, [1, 1, 1, 1, 1, 3, 3, 3, 3, 3])
  assert.deepEqual(batches, [
    [...a, ...c],
    [...b, ...d],
  ])
  silence.resolve()
  assert.deepEqual(await Promise.all(held), [0, 0, 0, 0, 0, 2, 2, 2, 2, 2])
  await batcher.stop()
})

test('a node that fails gets no new claims for a while', async () => {
  const { distribution, batcher, silence } = newWatched()
  const [[id = ''] = []] = idsByShard(distribution, 1)
  const result = batcher.submit('account', id)
  silence.reject(new DatabaseUnavailable('The machine is away.', 'not applied', new Error('gone')))
  await assert.rejects(result, { code: 'UNAVAILABLE' })
  assert.equal(distribution.nodeOf(distribution.newClaimId()), 2)
  await batcher.stop()
})

test('a full queue does not mark the node as down', async () => {
  const { distribution, batcher, silence } = newWatched()
  const [[id = ''] = []] = idsByShard(distribution, 1)
  const result = batcher.submit('account', id)
  silence.reject(new DatabaseUnavailable('Too many requests are waiting for the database.', 'not applied'))
  await assert.rejects(result, { code: 'UNAVAILABLE' })
  assert.equal(distribution.isDown(1), false)
  await batcher.stop()
})

test('after the stop, items for every node are rejected', async () => {
  const { distribution, batcher } = newWatched()
  await batcher.stop()
  for (const [id = ''] of idsByShard(distribution, 1)) {
    await assert.rejects(batcher.submit('account', id), { code: 'UNAVAILABLE', message: /stopping/ })
  }
})
