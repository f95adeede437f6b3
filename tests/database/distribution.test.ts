import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { v4, v7, validate, version } from 'uuid'
import { distributionOf, isOnCitus } from '../support/database-nodes.ts'
import { distributionOver } from '../support/distribution-over.ts'
import { Distribution, uuidHash } from '../support/source/database.ts'
import { createTestDatabase } from '../support/test-database.ts'

const connectionString = await createTestDatabase({ after })
const client = new pg.Client({ connectionString })
client.on('error', () => {})
await client.connect()
after(() => client.end())

const uuids = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '80000000-8000-8000-8000-800000000000',
  ...Array.from({ length: 2_000 }, (_, i) => (i % 2 === 0 ? v4() : v7())),
]

test('a UUID has the hash that PostgreSQL gives it', async () => {
  const { rows } = await client.query<{ hash: number }>(
    'SELECT uuid_hash(id) AS hash FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, place) ORDER BY place',
    [uuids],
  )
  assert.deepEqual(
    uuids.map(uuidHash),
    rows.map(({ hash }) => hash),
  )
})

test('a claim is in the shard that Citus says', { skip: !isOnCitus() && 'not on Citus' }, async () => {
  const distribution = await distributionOf(connectionString)
  const { rows } = await client.query<{ shard: number }>(
    `SELECT (SELECT count(*)::integer FROM pg_dist_shard WHERE logicalrelid = 'claims'::regclass
       AND shardminvalue::integer < s.shardminvalue::integer) AS shard
     FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, place)
     JOIN pg_dist_shard s ON s.shardid = get_shard_id_for_distribution_column('claims', id) ORDER BY place`,
    [uuids],
  )
  assert.deepEqual(
    uuids.map((uuid) => distribution.shardOf(uuid)),
    rows.map(({ shard }) => shard),
  )
})

test('shards hold the hashes from their lowest up to the next one’s', () => {
  const distribution = distributionOver([-(2 ** 31), -5, 0, 2 ** 30])
  for (const uuid of uuids) {
    const hash = uuidHash(uuid)
    assert.equal(distribution.shardOf(uuid), hash < -5 ? 0 : hash < 0 ? 1 : hash < 2 ** 30 ? 2 : 3)
  }
})

test('what belongs to claims is grouped by their shards, which come in their order', () => {
  const distribution = distributionOver([-(2 ** 31), -(2 ** 30), 0, 2 ** 30])
  const items = uuids.map((claimId, n) => ({ claimId, n }))
  const groups = distribution.byShard(items, ({ claimId }) => claimId)
  assert.deepEqual(
    groups.map((group) => [...new Set(group.map(({ claimId }) => distribution.shardOf(claimId)))]),
    [[0], [1], [2], [3]],
  )
  for (const group of groups)
    assert.deepEqual(
      group,
      group.toSorted((a, b) => a.n - b.n),
    )
  assert.equal(groups.flat().length, items.length)
})

test('new claims get ids of their own, of version 7, and those that come together of one shard', () => {
  const distribution = distributionOver(Array.from({ length: 32 }, (_, i) => -(2 ** 31) + i * 2 ** 27))
  const ids = Array.from({ length: 4_000 }, () => distribution.newClaimId())
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every((id) => validate(id) && version(id) === 7))
  const changes = ids.filter(
    (id, i) => i > 0 && distribution.shardOf(id) !== distribution.shardOf(ids[i - 1] as string),
  )
  assert.ok(changes.length < ids.length / 100, `${changes.length} changes of the shard`)
})

test('on one PostgreSQL all claims are in one place', () => {
  const distribution = new Distribution()
  assert.equal(distribution.isOn, false)
  assert.deepEqual([...new Set(uuids.map((uuid) => distribution.shardOf(uuid)))], [0])
})

test('new claims go to nodes that are not marked as down, if there are any', () => {
  const machines = [1, 2, 1, 3]
  const newAt = (away: number[]) => {
    const distribution = distributionOver([-(2 ** 31), -(2 ** 30), 0, 2 ** 30], machines)
    for (const machine of away) distribution.markDown(machine)
    return distribution.nodeOf(distribution.newClaimId())
  }
  for (let n = 0; n < 50; n++) {
    assert.ok(newAt([1]) > 1)
    assert.equal(newAt([1, 2]), 3)
    assert.ok(machines.includes(newAt([1, 2, 3])))
  }
})

test('a node is marked as up again after a later statement on it succeeds', () => {
  const distribution = distributionOver([-(2 ** 31), 0], [1, 2])
  const before = performance.now()
  distribution.markDown(1)
  distribution.markUp(1, before)
  assert.equal(distribution.isDown(1), true)
  distribution.markUp(1, performance.now() + 1)
  assert.equal(distribution.isDown(1), false)
})
