import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DecisionRefused, tryDecisions } from '../../src/doctor/try-decisions.ts'
import { openNew } from '../database/open-new.ts'
import { assertUnavailable } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { startTestService } from '../support/test-service.ts'

/** A trigger function that refuses every row. */
const REFUSE = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused by hand'; END $$`

/** Changes of the database, and the error that each causes. */
const FAULTS: [string, string, RegExp][] = [
  [
    'a revoked permission on one table',
    'REVOKE INSERT ON claim_events FROM current_user',
    /^an event cannot be recorded: permission denied for table claim_events/,
  ],
  [
    'a revoked permission to read contracts',
    'REVOKE SELECT ON contracts FROM current_user',
    /^a claim cannot be created: permission denied for table contracts/,
  ],
  [
    'a revoked permission on the sequence of notifications',
    'REVOKE ALL ON SEQUENCE notification_numbers FROM current_user',
    /^a claim cannot be created: permission denied for sequence notification_numbers/,
  ],
  [
    'a constraint that refuses settled claims',
    "ALTER TABLE claims ADD CONSTRAINT only_open CHECK (status = 'OPEN') NOT VALID",
    /^an event cannot be recorded: new row for relation "claims" violates check constraint "only_open"/,
  ],
  [
    'a constraint that refuses the result of a check',
    "ALTER TABLE notifications ADD CONSTRAINT none_failed CHECK (scheduled_outcome <> 'FAILED') NOT VALID",
    /^a scheduled check cannot move a claim: new row for relation "notifications" violates check constraint "none_failed"/,
  ],
  [
    'a trigger that refuses system events',
    `${REFUSE}; CREATE TRIGGER no_system BEFORE INSERT ON claim_events FOR EACH ROW WHEN (NEW.system) EXECUTE FUNCTION refuse()`,
    /^a scheduled check cannot move a claim: refused by hand/,
  ],
  [
    'a trigger that refuses changes of test clocks',
    `${REFUSE}; CREATE TRIGGER no_set BEFORE UPDATE ON test_clocks FOR EACH ROW EXECUTE FUNCTION refuse()`,
    /^a test clock cannot be advanced: refused by hand/,
  ],
  [
    'a trigger that drops rows silently',
    `CREATE FUNCTION drop_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER dropped BEFORE UPDATE ON claims FOR EACH ROW EXECUTE FUNCTION drop_row()`,
    /^an event cannot be recorded: /,
  ],
  [
    'a missing primary key',
    'ALTER TABLE claims DROP CONSTRAINT claims_pkey',
    /^a claim cannot be created: there is no unique or exclusion constraint/,
  ],
  [
    'a missing partition',
    `ALTER TABLE notifications RENAME TO whole;
      CREATE TABLE notifications (LIKE whole INCLUDING DEFAULTS) PARTITION BY RANGE (number)`,
    /^a claim cannot be created: no partition of relation "notifications" found for row/,
  ],
  [
    'a missing column',
    'ALTER TABLE claims DROP COLUMN last_event_at',
    /^an event cannot be recorded: column .*last_event_at.* does not exist/,
  ],
]

describe('a database in which claims cannot be decided is found:', () => {
  for (const [what, text, found] of FAULTS)
    test(what, async (t) => {
      const db = (await openNew(t, true))()
      await tryDecisions(db.checks)
      await db.query({ text })
      await assert.rejects(tryDecisions(db.checks), (error) => {
        assert.ok(error instanceof DecisionRefused, `${error}`)
        assert.match(error.message, found)
        return true
      })
    })
})

test('locks of others leave the result unknown', async (t) => {
  const open = await openNew(t, true)
  const [db, other] = [open(), open()]
  await other.transaction(async (connection) => {
    await connection.query({ text: 'LOCK TABLE claim_events' })
    assert.equal(await tryDecisions(db.checks), false)
  })
  assert.equal(await tryDecisions(db.checks), true)
})

test('an attempt leaves nothing, and concurrent attempts do not disturb each other', async (t) => {
  const db = (await openNew(t, true))()
  await Promise.all([1, 2, 3].map(() => tryDecisions(db.checks)))
  for (const table of ['claims', 'claim_events', 'contracts', 'customers', 'notifications', 'test_clocks'])
    assert.deepEqual(
      await db.query({ text: `SELECT count(*)::integer AS rows FROM ${table}` }),
      [{ rows: 0 }],
      table,
    )
})

test('/readyz says why no claim can be decided, and is 200 again when one can be decided', async (t) => {
  const { clientWith, sql } = await startTestService(t)
  const nobody = clientWith(null)
  await sql('REVOKE UPDATE ON claims FROM current_user')
  const answer = await nobody.get('/readyz')
  assertUnavailable(answer)
  assert.equal(
    answer.body.error.message,
    'No claim can be decided: an event cannot be recorded: permission denied for table claims.',
  )
  await sql('GRANT UPDATE ON claims TO current_user')
  await eventually(async () => (await nobody.get('/readyz')).status === 200)
})
