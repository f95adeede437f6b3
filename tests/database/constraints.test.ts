import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { sharedService } from '../support/shared.ts'

/* The database refuses what the code must never do (§3). */

const { api, sql } = await sharedService()
const { id } = await api.claim(await api.customer('acme'), contractWith())

for (const [what, change, constraint] of [
  ['an unknown status', "status = 'DONE', scheduled_outcome = 'FAILED', due_at = NULL", 'status_is_known'],
  ['an OPEN claim with an outcome', "scheduled_outcome = 'FAILED'", 'outcome_is_set_but_while_open'],
  ['a PENDING claim without an outcome', "status = 'PENDING'", 'outcome_is_set_but_while_open'],
  [
    'a terminal status other than its outcome',
    "status = 'CONFIRMED', scheduled_outcome = 'FAILED', due_at = NULL",
    'terminal_status_equals_outcome',
  ],
  [
    'a terminal claim that is due',
    "status = 'FAILED', scheduled_outcome = 'FAILED'",
    'due_but_in_a_terminal_state_or_stopped',
  ],
  ['an OPEN claim that is never due', 'due_at = NULL', 'due_but_in_a_terminal_state_or_stopped'],
  [
    'a decision of an older server about an extended contract',
    'decided_count = 5',
    'extended_contract_is_known',
  ],
  [
    'a candidate without its customer’s name',
    "candidate_alias = 'some-alias'",
    'candidate_names_its_customer',
  ],
] as const) {
  test(`the database refuses ${what}`, async () => {
    // By name: an error of a shard does not name its constraint separately.
    const named = new RegExp(`violates check constraint "${constraint}"$`)
    await assert.rejects(sql(`UPDATE claims SET ${change} WHERE id = $1`, [id]), {
      code: '23514',
      message: named,
    })
  })
}

test('the database refuses a second item at the same place of a log', async () => {
  const insert = "INSERT INTO claim_events VALUES ($1, 1, 'x', 'done', '{}', false, now())"
  await sql(insert, [id])
  await assert.rejects(sql(insert, [id]), { code: '23505' })
})
