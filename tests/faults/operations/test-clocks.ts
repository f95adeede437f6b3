import assert from 'node:assert/strict'
import { COPY_CLAIM } from '../../support/copy-claims.ts'
import { newClock } from '../../support/new-records.ts'
import type { Operation } from '../fault-table.ts'
import { eventOf, fateOf } from '../history.ts'
import { nextNumber } from '../load.ts'
import { openClaims } from '../testbed.ts'
import { countReminders, REMIND_AT } from './reminders.ts'

const START = '2026-01-01T00:00:00.000Z'
const REMINDED = '2026-01-01T00:00:30.000Z'
/** After both windows of each claim. */
const END = '2026-01-01T02:00:00.000Z'
/** More claims than a batch of an advance moves. */
const DUE = 1_100

const advance: Operation = {
  name: 'an advance of a test clock',
  begin: async (testbed, history) => {
    const { api, sql } = testbed.service
    const clock = await newClock(testbed.service.api)
    const claims = await openClaims(testbed.service, testbed.customer.id, 3, clock)
    await sql(COPY_CLAIM, [claims[0], DUE - claims.length])
    await sql(REMIND_AT, [claims, REMINDED])
    const advance = () => api.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: END })
    const standing = () =>
      sql(
        `SELECT c.status, count(DISTINCT c.id)::int AS claims, count(e.id)::int AS moves
         FROM claims c LEFT JOIN claim_events e ON e.claim_id = c.id AND e.system
         WHERE test_clock_id = $1 GROUP BY 1`,
        [clock],
      )
    let fate: string
    return {
      run: async () => {
        fate = fateOf(await advance())
      },
      beside: () =>
        Promise.all(
          claims.map(async (claimId) => {
            const id = `beside-${nextNumber()}`
            history.noteEvent(claimId, id, await api.post('/v1/events', eventOf(claimId, id)))
          }),
        ),
      finish: async () => {
        const { frozen_time: time } = (await api.get(`/v1/test_clocks/${clock}`)).body
        if (fate !== 'unknown') assert.equal(time, fate === 'done' ? END : START)
        const [untouched, over] = [
          [{ status: 'OPEN', claims: DUE, moves: 0 }],
          [{ status: 'FAILED', claims: DUE, moves: 2 * DUE }],
        ]
        const reminders = () => countReminders(testbed.service, claims)
        assert.deepEqual(await standing(), time === END ? over : untouched)
        assert.deepEqual(await reminders(), time === END ? [1, 1, 1] : [0, 0, 0])
        assert.equal((await advance()).status, 200)
        assert.deepEqual(await standing(), over)
        assert.deepEqual(await reminders(), [1, 1, 1])
        assert.equal((await api.delete(`/v1/test_clocks/${clock}`)).status, 204)
      },
    }
  },
}

const deletion: Operation = {
  name: 'the deletion of a test clock',
  begin: async (testbed) => {
    const { api, sql } = testbed.service
    const clock = await newClock(testbed.service.api)
    const claims = await openClaims(testbed.service, testbed.customer.id, 3, clock)
    for (const id of claims) assert.equal((await api.post('/v1/events', eventOf(id, 'event'))).status, 201)
    const remove = () => api.delete(`/v1/test_clocks/${clock}`)
    const left = async () => {
      const [row] = await sql(
        `SELECT (SELECT count(*) FROM test_clocks WHERE id = $1)::int AS clocks,
           (SELECT count(*) FROM claims WHERE id = ANY ($2))::int AS claims,
           (SELECT count(*) FROM claim_events WHERE claim_id = ANY ($2))::int AS events`,
        [clock, claims],
      )
      return row
    }
    let fate: string
    return {
      run: async () => {
        fate = fateOf(await remove())
      },
      finish: async () => {
        const [all, none] = [
          { clocks: 1, claims: 3, events: 3 },
          { clocks: 0, claims: 0, events: 0 },
        ]
        const found = await left()
        if (fate === 'unknown') fate = found?.clocks === 1 ? 'refused' : 'done'
        assert.deepEqual(found, fate === 'done' ? none : all)
        assert.equal((await remove()).status, fate === 'done' ? 404 : 204)
        assert.deepEqual(await left(), none)
      },
    }
  },
}

export const TEST_CLOCK_OPERATIONS: readonly Operation[] = [advance, deletion]
