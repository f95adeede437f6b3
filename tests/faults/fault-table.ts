import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { IN_THE_BACKGROUND } from '../support/fault-proxy.ts'
import { runScheduledCheck } from '../support/source/decisions.ts'
import { ALL_FAULTS, faultsFor, STATEMENT_FAULTS } from './faults.ts'
import { History } from './history.ts'
import { startLoad } from './load.ts'
import { createTestbed, settles, type Testbed } from './testbed.ts'

/*
 * Injects faults into each statement of an operation while other requests are in flight, and compares the stored records
 * with the answers. The statements come from a recorded run without faults.
 */

/** One run of an operation, on records of its own. */
interface Episode {
  /** Performs the operation. It does not reject because of a fault. */
  run: () => Promise<unknown>
  /** The time of the scheduled check that follows; by default the present. */
  checkTime?: Date
  /** Concurrent requests for the same records. */
  beside?: () => Promise<unknown>
  /** Repeats the operation if it was not done, and compares the stored records with the responses. */
  finish: () => Promise<void>
}

export interface Operation {
  name: string
  begin: (testbed: Testbed, history: History) => Promise<Episode>
  /** Statements that other requests send too, and that belong to this operation. */
  alsoSends?: readonly string[]
  /** Why the operation is skipped in this run. */
  skip?: string | false
}

/** Statements that poll. The number of their executions varies, so a fault is injected only into the first. */
const POLLING = [
  'count_servers_behind',
  'find_free_test_clocks',
  'find_free_webhook_endpoints',
  'find_news_of_changes',
  'find_news_on_machines_of_changes',
  'take_webhook_endpoint',
  'read_due_deliveries',
  'read_settled',
  'read_settled_here',
  'read_settled_on_machines',
  'read_feed_asc_changes_after',
  'read_subjects',
  'read_removed_notifications',
  'record_webhook_attempts',
  'note_webhook_failure',
  'note_webhook_success',
]

/** Number of recordings of an operation. If a batch is split, it sends one more statement. Only statements in every recording are tested. */
const RECORDINGS = 2
const MAX_TRIES = 4

let rows = 0

/** Registers a suite for each operation: a test for each of its statements. */
export async function testFaults(operations: readonly Operation[]): Promise<void> {
  for (const operation of operations) await testFaultsOf(operation)
}

async function testFaultsOf(operation: Operation): Promise<void> {
  const { name, skip = false } = operation
  if (skip) return describe(`faults of ${name}`, { skip }, () => {})
  const releases: (() => Promise<void>)[] = []
  const release = async () => {
    for (const one of releases.splice(0)) await one()
  }
  let testbed: Testbed | null = null
  const freshTestbed = async () => {
    testbed ??= await createTestbed({ after: (one) => void releases.unshift(one) })
    return testbed
  }
  const statements = await fewestStatements(await freshTestbed(), operation)
  describe(`faults of ${name}`, () => {
    after(release)
    for (const [statement, times] of statements) {
      for (const occurrence of occurrencesOf(times)) {
        const row = rows++
        test(times === 1 ? statement : `${statement}, ${occurrence} of ${times}`, async (t) => {
          for (const fault of faultsFor(row)) {
            await t.test(fault, async () => {
              const there = await freshTestbed()
              // A fault that is not survived must not fail the next test.
              testbed = null
              let wasInjected = false
              for (let tries = 0; tries < MAX_TRIES && !wasInjected; tries++)
                wasInjected = await inject(there, operation, { statement, occurrence }, fault)
              assert.ok(wasInjected, 'the statement was sent')
              testbed = there
            })
          }
        })
      }
    }
  })
}

/** The executions of a statement that get a fault: the first and the last, or each (`FAULTS=all`). */
const occurrencesOf = (times: number): readonly number[] =>
  ALL_FAULTS ? Array.from({ length: times }, (_, i) => i + 1) : [...new Set([1, times])]

async function fewestStatements(testbed: Testbed, operation: Operation): Promise<Map<string, number>> {
  const fewest = await recordStatements(testbed, operation)
  for (let n = 1; n < RECORDINGS; n++) {
    const again = await recordStatements(testbed, operation)
    for (const [name, times] of fewest) {
      if (again.has(name)) fewest.set(name, Math.min(times, again.get(name) as number))
      else fewest.delete(name)
    }
  }
  return fewest
}

/** The statements that the operation sends without faults, and the number of executions of each. */
export async function recordStatements(
  testbed: Testbed,
  { begin, alsoSends = [] }: Operation,
): Promise<Map<string, number>> {
  const history = new History(testbed)
  const episode = await begin(testbed, history)
  const sent = new Map<string, number>()
  testbed.proxy.onStatement((statement) => {
    if (IN_THE_BACKGROUND.test(statement) && !alsoSends.includes(statement)) return
    sent.set(statement, POLLING.includes(statement) ? 1 : (sent.get(statement) ?? 0) + 1)
  })
  await episode.run()
  testbed.proxy.onStatement(null)
  await settles(testbed)
  await history.verify()
  await episode.finish()
  return sent
}

/** Returns whether the statement was sent, so that the fault was injected. */
async function inject(
  testbed: Testbed,
  { begin }: Operation,
  aim: { statement: string; occurrence: number },
  fault: string,
): Promise<boolean> {
  const { proxy, service } = testbed
  const history = new History(testbed)
  const episode = await begin(testbed, history)
  const load = await startLoad(testbed, history)
  proxy.inject(aim, STATEMENT_FAULTS[fault] as (typeof STATEMENT_FAULTS)[string])
  await Promise.all([episode.run(), episode.beside?.()])
  await load.stop()
  const wasInjected = proxy.wasInjected()
  proxy.disarm()
  await settles(testbed)
  await runScheduledCheck(service.app, episode.checkTime ?? new Date())
  await history.verify()
  await episode.finish()
  return wasInjected
}
