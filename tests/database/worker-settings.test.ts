import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import pg from 'pg'
import { openDatabase } from '../../src/platform/database/open-database.ts'
import { databaseNameOf, isOnCitus, urlsOfDatabase } from '../support/database-nodes.ts'
import { newClaim, newClock } from '../support/new-records.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

/* Defaults of the machines of a cluster. Citus passes no settings of a session on to them. */

/** What the service needs of each machine, and another value. */
const REFUSED: Record<string, string> = {
  array_nulls: 'off',
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  exit_on_error: 'on',
  idle_session_timeout: '7000',
  lock_timeout: '7000',
  standard_conforming_strings: 'off',
}

/** What changes no value and no statement. */
const HARMLESS: Record<string, string> = {
  timezone: 'America/St_Johns',
  datestyle: 'German, DMY',
  intervalstyle: 'sql_standard',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  quote_all_identifiers: 'on',
  transform_null_equals: 'on',
  default_transaction_deferrable: 'on',
  client_min_messages: 'error',
}

/** Changes the defaults of the role in this database, on the workers only. */
async function onWorkers(databaseUrl: string, change: string): Promise<void> {
  const [, ...workers] = urlsOfDatabase(databaseUrl)
  for (const worker of workers) {
    const client = new pg.Client({ connectionString: worker })
    await client.connect()
    await client.query('SET default_transaction_read_only = off')
    await client.query('SET citus.enable_ddl_propagation = off')
    await client.query('SET citus.enable_alter_role_set_propagation = off')
    await client.query(`ALTER ROLE CURRENT_USER IN DATABASE ${databaseNameOf(databaseUrl)} ${change}`)
    await client.end()
  }
}

describe('defaults of the machines of a cluster', { skip: !isOnCitus() && 'not on Citus' }, () => {
  test('with which the service does not work are refused at the start, with the setting', async (t) => {
    const databaseUrl = await createTestDatabase(t)
    const open = async () => {
      const database = await openDatabase({
        databaseUrl,
        dataDir: '',
        poolSize: 20,
        role: 'command',
        mayCreate: false,
        allowUnsafe: true,
        report: () => {},
        signal: new AbortController().signal,
      })
      await database.close()
    }
    await open()
    for (const [name, value] of Object.entries(REFUSED)) {
      await onWorkers(databaseUrl, `SET ${name} = '${value}'`)
      await assert.rejects(open(), {
        name: 'OperatorError',
        message: new RegExp(`^The node [\\w.]+:\\d+ has settings .*: ${name} = ${value}\\. .*SET ${name} = `),
      })
      await onWorkers(databaseUrl, `RESET ${name}`)
    }
    await open()
  })

  test('that are harmless change no value', async (t) => {
    const databaseUrl = await createTestDatabase(t)
    for (const [name, value] of Object.entries(HARMLESS))
      await onWorkers(databaseUrl, `SET ${name} = '${value}'`)
    const foreign = await startTestService(t, { databaseUrl })
    const usual = await startTestService(t)
    const seen = async ({ api }: typeof usual) => {
      const frozen = '2026-03-08T00:30:00.123Z'
      const clock = await newClock(api, frozen)
      const claim = await newClaim(api, { price: 0.1 + 0.2, activity_window: 90_061.5 })
      const path = `/v1/claims/${claim.id}`
      const event = {
        id: 'e1',
        type: 'note',
        at: '01/02/2026',
        value: 0.1 + 0.2,
        none: null,
        text: '\\d \'"',
      }
      const submitted = await api.post(`${path}/events`, event)
      const advanced = await api.post(`/v1/test_clocks/${clock}/advance`, {
        frozen_time: '2026-03-09T00:30:00.123Z',
      })
      const due = (one: { due_at: string; created_at: string }) =>
        Date.parse(one.due_at) - Date.parse(one.created_at)
      const read = await api.readClaim(claim.id)
      const listed = (await api.get('/v1/claims?limit=1')).body.data[0]
      assert.ok(Math.abs(Date.parse(read.created_at) - Date.now()) < 60_000, read.created_at)
      return {
        statuses: [submitted.status, advanced.status],
        clock: advanced.body.frozen_time,
        due: [due(claim), due(read), due(listed)],
        claim: [read, listed].map(({ price, status, contract, reference, customer_id }) => [
          price,
          status,
          contract,
          reference,
          customer_id === claim.customer_id,
        ]),
        event: { ...read.events[0], created_at: null },
      }
    }
    assert.deepEqual(await seen(foreign), await seen(usual))
  })
})
