import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecisionRefused, tryDecisions } from '../../src/doctor/try-decisions.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { newClaim } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'

test('a constraint that refuses changed claims is reported; on distributed tables, only after a contract is stored', async (t) => {
  const { api, app, sql } = await startTestService(t)
  const { checks } = app.db
  assert.equal(await tryDecisions(checks), true)
  await sql("ALTER TABLE claims ADD CONSTRAINT only_open CHECK (status = 'OPEN')")
  if (isOnCitus()) assert.equal(await tryDecisions(checks), true, 'without a contract nothing is tried')
  await newClaim(api)
  await assert.rejects(tryDecisions(checks), (error) => {
    assert.ok(error instanceof DecisionRefused, `${error}`)
    assert.match(
      error.message,
      /^(?:a scheduled check cannot move a claim|an event cannot be recorded): .*"only_open/,
    )
    return true
  })
  await sql('ALTER TABLE claims DROP CONSTRAINT only_open')
  assert.equal(await tryDecisions(checks), true)
  const [row] = await sql('SELECT count(*)::integer AS claims FROM claims')
  assert.equal(row?.claims, 1, 'an attempt stores no claim')
})
