import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explore } from './explore.ts'
import { assertClosesCleanly, poolHistory, WatchedPool } from './pool-world.ts'

/* The connection pool under any behaviour of its callers and of the database. */

/** The queue, a new connection and its settings; twice if the first connection is broken. */
const MAX_WAIT_MS = 22_000

test('each acquired connection is idle, within the quota and in time, and all connections return to the pool', async (t) => {
  await explore(
    t,
    poolHistory,
    async (world, { size, operations }) => {
      const watched = new WatchedPool(world, size)
      for (const operation of operations) {
        if (operation.do === 'acquire') watched.acquire(operation.as, operation.manner)
        else await world.perform([operation])
      }
      await world.drain()
      await world.runUntil(() => watched.answered === watched.calls)
      assert.ok(watched.maxWaitMs <= MAX_WAIT_MS, `a caller waited ${watched.maxWaitMs} ms`)
      await watched.assertAllConnectionsAvailable()
      await assertClosesCleanly(world, watched.pool)
    },
    { runs: 200 },
  )
})
