import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { runScheduledCheck } from '../../src/app/check/run-scheduled-check.ts'
import { IN_THE_BACKGROUND } from '../support/fault-proxy.ts'
import { BLOWS, blowsFor } from './blows.ts'
import { Ledger } from './ledger.ts'
import { startLoad } from './load.ts'
import { type STATEMENTS, statementsOf } from './statements.ts'
import { createWorld, settles, type World } from './world.ts'

/** One run of an operation, on records of its own. */
interface Episode {
  /** Does it. What a fault may cause is not thrown. */
  run: () => Promise<unknown>
  /** Of the check that comes next, where it is not the present. */
  checkTime?: Date
  /** What others do to the same records meanwhile. */
  beside?: () => Promise<unknown>
  /** The fault is over: does it again where it was not done, and holds what is stored to what was answered. */
  finish: () => Promise<void>
}

export interface Operation {
  /** Its name in the table. */
  name: keyof typeof STATEMENTS
  begin: (world: World, ledger: Ledger) => Promise<Episode>
  /** Why it is not tried in this run, if it is not. */
  skip?: string | false
}

/** They are sent until they say what is hoped for: once is as good as more. */
const ASKED_AGAIN = [
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

/** On a slow machine what was sent together may come apart, and then takes a statement more, or less. */
const MOST_TRIES = 4

let rows = 0

/** Strikes each statement of the operation with one fault after the other, while others are at work. */
export function testFaults({ name, begin, skip = false }: Operation): void {
  const statements = statementsOf(name)
  describe(`faults of ${name}`, { skip }, () => {
    let world: World | null = null
    const releases: (() => Promise<void>)[] = []
    const freshWorld = async () => {
      world ??= await createWorld({ after: (release) => void releases.unshift(release) })
      return world
    }
    after(async () => {
      for (const release of releases) await release()
    })

    test('the table has its statements, and no others', async () => {
      let sent: Record<string, number> = {}
      for (let tries = 0; tries < MOST_TRIES && !isDeepStrictEqual(sent, statements); tries++)
        sent = await record(await freshWorld(), begin, statements)
      assert.deepEqual(sent, statements)
    })

    for (const [statement, times] of Object.entries(statements)) {
      for (let occurrence = 1; occurrence <= times; occurrence++) {
        const row = rows++
        test(times === 1 ? statement : `${statement}, number ${occurrence}`, async (t) => {
          for (const blow of blowsFor(row)) {
            await t.test(blow, async () => {
              const there = await freshWorld()
              // What a fault that is not survived leaves behind is not the next one's fault.
              world = null
              let hasStruck = false
              for (let tries = 0; tries < MOST_TRIES && !hasStruck; tries++)
                hasStruck = await strike(there, begin, { statement, occurrence }, blow)
              assert.ok(hasStruck, 'the statement was sent')
              world = there
            })
          }
        })
      }
    }
  })
}

/** What it sends when nothing is wrong, and how often. */
async function record(
  world: World,
  begin: Operation['begin'],
  expected: Record<string, number>,
): Promise<Record<string, number>> {
  const ledger = new Ledger(world)
  const episode = await begin(world, ledger)
  const sent: Record<string, number> = {}
  world.proxy.listen((statement) => {
    if (statement in expected || !IN_THE_BACKGROUND.test(statement))
      sent[statement] = ASKED_AGAIN.includes(statement) ? 1 : (sent[statement] ?? 0) + 1
  })
  await episode.run()
  world.proxy.listen(null)
  await settles(world)
  await ledger.verify()
  await episode.finish()
  return sent
}

/** Whether the statement was sent, and so struck. */
async function strike(
  world: World,
  begin: Operation['begin'],
  aim: { statement: string; occurrence: number },
  blow: string,
): Promise<boolean> {
  const { proxy, service } = world
  const ledger = new Ledger(world)
  const episode = await begin(world, ledger)
  const load = await startLoad(world, ledger)
  proxy.strike(aim, BLOWS[blow] as (typeof BLOWS)[string])
  await Promise.all([episode.run(), episode.beside?.()])
  await load.stop()
  const hasStruck = proxy.hasStruck()
  proxy.disarm()
  await settles(world)
  await runScheduledCheck(service.app, episode.checkTime ?? new Date())
  await ledger.verify()
  await episode.finish()
  return hasStruck
}
