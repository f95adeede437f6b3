import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Finding } from '../../simulate/model/finding.ts'
import {
  assertOnce,
  remindersOnClock,
  type SentReminder,
  verifyReminders,
} from '../../simulate/model/reminders.ts'
import type { LogItem, Terms } from '../../simulate/model/replay.ts'
import { SOME_CONTRACT } from './some-contract.ts'

/* The simulator's own model of reminders (§2.16). */

const CREATED = Date.parse('2026-01-01T10:00:20.000Z')
const MINUTE_MS = 60_000

const terms: Terms = {
  contract: {
    ...SOME_CONTRACT,
    activity_window: 1_200,
    clock: { pause_on: { event: 'asked' }, resume_on: { event: 'answered' } },
  },
  hours: null,
  createdAt: CREATED,
  isOnTestClock: true,
}
const item = (seconds: number, type: string): LogItem => ({
  id: `${type} ${seconds}`,
  type,
  created_at: new Date(CREATED + seconds * 1000).toISOString(),
  system: false,
})
const REMINDERS = [0.001, 0.1, 0.5, 0.52, 0.999]
const sentUntil = (minutes: number, log: readonly LogItem[] = []) =>
  remindersOnClock(terms, log, REMINDERS, CREATED + minutes * MINUTE_MS).map(
    ({ reminder, checkedAt }) => `${reminder} ${(checkedAt - CREATED + 20_000) / MINUTE_MS}`,
  )

test('a check sends the last of the reminders that it finds, and none when the claim is due', () => {
  assert.deepEqual(sentUntil(0.5), [])
  assert.deepEqual(sentUntil(60), ['0.001 1', '0.1 3', '0.52 11'])
})

test('no reminder is reached while the clock is stopped, and time before the stop counts', () => {
  const asked = item(300, 'asked')
  assert.deepEqual(sentUntil(600, [asked]), ['0.001 1', '0.1 3'])
  const answered = item(3_000, 'answered')
  assert.deepEqual(sentUntil(600, [asked, answered]), ['0.001 1', '0.1 3', '0.52 56'])
})

test('a reminder that is sent twice, too early, for a stopped claim or never is a finding', () => {
  const at = (minutes: number): SentReminder => {
    const checkedAt = CREATED - 20_000 + minutes * MINUTE_MS
    const [one] = remindersOnClock(terms, [], [0.1], CREATED + 600 * MINUTE_MS)
    return { ...(one as SentReminder), checkedAt }
  }
  const options = { now: CREATED, isCalm: () => true }
  const verify = (sent: SentReminder[], log: readonly LogItem[] = []) =>
    verifyReminders(terms, log, [0.1], sent, options)
  verify([at(3)])
  assert.throws(() => verify([at(2)]), Finding)
  assert.throws(() => verify([at(3)], [item(60, 'asked')]), Finding)
  assert.throws(
    () => verifyReminders(terms, [], [0.1], [], { ...options, now: CREATED + 600 * MINUTE_MS }),
    /never sent/,
  )
  assert.throws(() => assertOnce([0.1], [at(3), at(4)]), /twice/)
})
