import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FAULTED_STATEMENTS } from '../../simulate/faults/statements.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { recordStatements } from './fault-table.ts'
import { OPERATIONS } from './operations.ts'
import { createTestbed } from './testbed.ts'

/*
 * Each named statement of the service that writes is sent by an operation of `operations/`, so the slow or the nightly suite
 * injects faults into it. Other statements are exempt here, with the reason.
 */

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
/** The comment with which a statement begins, or the name under which it is prepared. */
const NAMED =
  /^\s*(?:text: |const [A-Z_]+ = |return |[?:] )?`?-- (\w+)$|\bname: '([a-z]+(?:_[a-z]+)+)',\s*text\b/gm

/** Names of statements that only read. Losing their response changes nothing. */
const READS = /^(find|read|list|count|search|select|tally|median|draw)_/
const WRITES =
  /\b(INSERT|UPDATE|DELETE|TRUNCATE|nextval|setval|pg_notify|FOR (NO KEY )?UPDATE|FOR (KEY )?SHARE)\b/

/** Statements without fault injection, by the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'they only read': 'begin_overview has_api_token has_password round_trip share_test_clock wait_at_turnstile',
  'they are the only statement of a request that may be repeated':
    'ask_for_deliveries_again ask_for_delivery_again count_attempt delete_calendar delete_claim_schema delete_expired_sessions ' +
    'delete_expired_throttles delete_sessions_of delete_webhook_endpoint forget_attempts forget_ended_invitations ' +
    'forget_ended_tokens insert_calendar insert_webhook_endpoint remove_old_idempotency_keys remove_old_positions rename_user replace_password ' +
    'replace_webhook_secret revoke_invitation_of revoke_invitations_to set_password share_secret update_account update_calendar ' +
    'update_webhook_endpoint write_notification_settings',
  'they are the only statement of background work that a server repeats':
    'pause_webhook_endpoint remove_webhook_deliveries remove_webhook_endpoint',
  'they set up a new connection, whose faults are in connections.nightly.test.ts': 'connection_settings',
  'they create accounts, invitations and tokens in one transaction, which stores nothing if it fails':
    'delete_other_sessions insert_api_token insert_invitation insert_user use_invitation',
}

/** Statements that are sent only if tables are distributed, or only if they are not. */
const ON_CITUS =
  'append_extended_in_shards announce_and_take_numbers announce_on_machine commit_in_two_phases delete_test_clock_claims_in_shards ' +
  'find_known_claims find_next_due find_news_on_machines find_stored_contracts insert_in_shards ' +
  'mark_contracts_of_archived_on_machines mark_unused_contracts move_kinds_in_shards notify_in_shards ' +
  'move_in_shards notify_of_kinds_in_shards read_settled_here read_settled_on_machines store_contracts ' +
  'take_numbers write_to_shards'
const ON_ONE_POSTGRESQL =
  'append_events append_events_on_test_clocks append_extended_events apply_moves find_news insert_claims insert_claims_on_test_clock insert_placed_claims ' +
  'mark_contracts_of_archived move_contracts ' +
  'delete_test_clock_claims move_kinds note_contract_moves read_settled send_reminders send_reminders_on_test_clock take_contract_moves'

const words = (text: string) => text.split(' ')

const sources: string[] = []

/** The named statements of the source, with whether their text writes. */
async function readStatements(): Promise<Map<string, boolean>> {
  const found = new Map<string, boolean>()
  for await (const file of glob('**/*.ts', { cwd: SRC })) {
    const text = await readFile(`${SRC}/${file}`, 'utf8')
    sources.push(text)
    for (const { 0: whole, 1: comment, 2: prepared, index } of text.matchAll(NAMED)) {
      const start = index + whole.length
      const body = prepared ? '' : text.slice(start, text.indexOf('`', start))
      const name = (comment ?? prepared) as string
      found.set(name, found.get(name) || WRITES.test(body))
    }
  }
  return found
}

const inCode = await readStatements()
/** Whether the statement is in the source. Some names are passed to a function. */
const isInSource = (name: string) => inCode.has(name) || sources.some((text) => text.includes(`'${name}'`))
const sent = new Set<string>()

describe('each operation sends statements:', async () => {
  const releases: (() => Promise<void>)[] = []
  const testbed = await createTestbed({ after: (release) => void releases.unshift(release) })
  after(async () => {
    for (const release of releases) await release()
  })
  for (const operation of OPERATIONS) {
    test(operation.name, { skip: operation.skip ?? false }, async () => {
      const statements = await recordStatements(testbed, operation)
      assert.ok(statements.size > 0)
      for (const name of statements.keys()) sent.add(name)
    })
  }
})

/** Some statements have a name for each part of the feed. */
const isSent = (name: string) =>
  sent.has(name) || [...sent].some((longer) => longer.startsWith(`${name}_of_`))

test('every named statement of the service that writes has fault injection or is exempt', () => {
  assert.ok(inCode.size > 200, 'the statements are found')
  const exempt = new Set(
    [...Object.values(EXEMPT), isOnCitus() ? ON_ONE_POSTGRESQL : ON_CITUS].flatMap(words),
  )
  const missing = [...inCode].filter(
    ([name, writes]) => !isSent(name) && !exempt.has(name) && !(READS.test(name) && !writes),
  )
  assert.deepEqual(
    missing.map(([name]) => name),
    [],
    'add an operation that sends it to tests/faults/operations, or add it to EXEMPT with the reason',
  )
})

test('no exemption is out of date', () => {
  const exempt = [...Object.values(EXEMPT), ON_CITUS, ON_ONE_POSTGRESQL].flatMap(words)
  assert.deepEqual(
    exempt.filter((name) => !isInSource(name)),
    [],
    'these statements no longer exist',
  )
  const elsewhere = words(isOnCitus() ? ON_ONE_POSTGRESQL : ON_CITUS)
  assert.deepEqual(elsewhere.filter(isSent), [], 'these statements are sent in this mode too')
})

test('the statements of the simulator’s faults are in the source', () => {
  assert.deepEqual(
    FAULTED_STATEMENTS.filter((name) => !isInSource(name)),
    [],
  )
})
