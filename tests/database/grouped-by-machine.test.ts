import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { GroupedByMachine } from '../../src/platform/database/groups/grouped-by-machine.ts'
import { distributionOver } from '../support/distribution-over.ts'
import { sharedService } from '../support/shared.ts'
import { Database, DatabaseUnavailable, type Distribution, SERVICE } from '../support/source/database.ts'

/* What is asked of machines of which one does not answer. The items are claims' ids. */

const { databaseUrl: connectionString } = await sharedService()
const LOWEST = [-(2 ** 31), -(2 ** 30), 0, 2 ** 30]

function watched() {
  const distribution = distributionOver(LOWEST, [1, 2, 1, 2])
  const db = new Database({ connectionString, poolSize: 16, distribution })
  after(() => db.close())
  const silence = Promise.withResolvers<void>()
  silence.promise.catch(() => {})
  const groups: string[][] = []
  const work = new GroupedByMachine<string, number>(db, {
    db: db.reads.for(SERVICE),
    claimIdOf: (id) => id,
    room: 100,
    weight: () => 1,
    run: async (_, ids) => {
      groups.push([...ids])
      if (distribution.machineOf(ids[0] as string) === 1) await silence.promise
      return ids.map((id) => distribution.shardOf(id))
    },
  })
  return { db, distribution, work, groups, silence }
}

/** New ids, so many of each shard, one shard after the other. */
function idsByShard(distribution: Distribution, count: number): string[][] {
  const ids: string[][] = LOWEST.map(() => [])
  while (ids.some(({ length }) => length < count)) {
    const id = crypto.randomUUID()
    const ofShard = ids[distribution.shardOf(id)] as string[]
    if (ofShard.length < count) ofShard.push(id)
  }
  return ids
}

test('a machine that does not answer holds up none but its own, and its shards go together', async () => {
  const { distribution, work, groups, silence } = watched()
  const [a = [], b = [], c = [], d = []] = idsByShard(distribution, 5)
  const held = [...a, ...c].map((id) => work.do('account', id))
  const answered = await Promise.all([...b, ...d].map((id) => work.do('account', id)))
  assert.deepEqual(answered, [1, 1, 1, 1, 1, 3, 3, 3, 3, 3])
  assert.deepEqual(groups, [
    [...a, ...c],
    [...b, ...d],
  ])
  silence.resolve()
  assert.deepEqual(await Promise.all(held), [0, 0, 0, 0, 0, 2, 2, 2, 2, 2])
  await work.stop()
})

test('a machine that fails gets no new claims for a while', async () => {
  const { distribution, work, silence } = watched()
  const [[id = ''] = []] = idsByShard(distribution, 1)
  const asked = work.do('account', id)
  silence.reject(new DatabaseUnavailable('The machine is away.', true, new Error('gone')))
  await assert.rejects(asked, { code: 'UNAVAILABLE' })
  assert.equal(distribution.machineOf(distribution.newClaimId()), 2)
  await work.stop()
})

test('that too many wait for a machine is no fault of it', async () => {
  const { distribution, work, silence } = watched()
  const [[id = ''] = []] = idsByShard(distribution, 1)
  const asked = work.do('account', id)
  silence.reject(new DatabaseUnavailable('Too many requests are waiting for the database.', true))
  await assert.rejects(asked, { code: 'UNAVAILABLE' })
  assert.equal(distribution.isAway(1), false)
  await work.stop()
})

test('what comes after the stop is refused, of any machine', async () => {
  const { distribution, work } = watched()
  await work.stop()
  for (const [id = ''] of idsByShard(distribution, 1)) {
    await assert.rejects(work.do('account', id), { code: 'UNAVAILABLE', message: /stopping/ })
  }
})
