import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explore } from './explore.ts'
import { assertEndsWhole, poolHistory, WatchedPool } from './pool-world.ts'

/* The pool, whatever its borrowers and the database do. */

/** For a place, for a new connection, for its settings; and once more where one is found broken. */
const LONGEST_WAIT_MS = 22_000

test('connections are lent idle, by shares and in time, and all of them come back', async (t) => {
  await explore(
    t,
    poolHistory,
    async (world, { size, deeds }) => {
      const watched = new WatchedPool(world, size)
      for (const deed of deeds) {
        if (deed.do === 'borrow') watched.borrow(deed.as, deed.manner)
        else await world.perform([deed])
      }
      await world.rest()
      await world.goOnUntil(() => watched.answered === watched.calls)
      assert.ok(watched.longestWaitMs <= LONGEST_WAIT_MS, `someone waited ${watched.longestWaitMs} ms`)
      await watched.assertIsWhole()
      await assertEndsWhole(world, watched.pool)
    },
    { runs: 200 },
  )
})
