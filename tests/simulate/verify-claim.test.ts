import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClaimHistory, ClaimRead, Submission } from '../../simulate/model/claim-history.ts'
import { opened, pending } from '../../simulate/model/contract.ts'
import type { LogItem } from '../../simulate/model/replay.ts'
import { verifyClaim } from '../../simulate/model/verify-claim.ts'
import { SOME_CONTRACT as contract } from './some-contract.ts'

/* The verification finds each kind of violation, and nothing in a correct history. */

const CREATED = Date.parse('2026-01-01T10:00:20.000Z')

const item = (id: string, type: string, ms: number, fields = {}): LogItem => ({
  id,
  type,
  created_at: new Date(CREATED + ms).toISOString(),
  system: false,
  ...fields,
})

const sent = (
  id: string,
  type: string,
  ms: number,
  verdict: Submission['verdict'],
  payload = {},
): Submission => ({
  id,
  type,
  payload,
  source: 'test',
  sentAt: CREATED + ms - 5,
  answeredAt: CREATED + ms + 5,
  verdict,
})

const RECORDED = { kind: 'recorded', event: null, state: null, lateBy: null } as const
const log = [item('a', 'begun', 100), item('b', 'done', 200, { value: 2 })]
const submissions = [sent('a', 'begun', 100, RECORDED), sent('b', 'done', 200, RECORDED, { value: 2 })]

function verify(changes: Partial<ClaimHistory> = {}): void {
  const terms = { contract, createdAt: CREATED, hours: null, isOnTestClock: false }
  const history = { name: 'a claim', terms, submissions, reads: [], longest: log, ...changes }
  verifyClaim(history, {
    checkTime: (at) => ({ from: at, until: Infinity }),
    recordedWithin: (sentAt, answeredAt, at) => at >= sentAt && at <= answeredAt,
  })
}

const finds = (changes: Partial<ClaimHistory>, message: RegExp) =>
  assert.throws(() => verify(changes), message)
const claimRead = (ms: number, items: number, state: ClaimRead['state']): ClaimRead => ({
  source: 'a read',
  sentAt: CREATED + ms,
  answeredAt: CREATED + ms + 1,
  state,
  items,
})

test('a correct history is no finding', () => {
  verify()
  verify({
    reads: [
      claimRead(150, 1, opened(contract, CREATED)),
      claimRead(300, 2, pending(contract, 'CONFIRMED', CREATED + 200)),
    ],
  })
})

test('a lost, duplicated or refused event in the log is a finding', () => {
  finds({ longest: log.slice(1) }, /acknowledged and is not in the log/)
  finds({ longest: [log[0] as LogItem, item('a', 'begun', 150), log[1] as LogItem] }, /two items/)
  finds({ submissions: [...submissions, sent('b', 'done', 200, RECORDED, { value: 2 })] }, /2 times/)
  const refused = sent('a', 'begun', 100, { kind: 'refused', status: 503 })
  finds({ submissions: [refused, ...submissions.slice(1)] }, /which was refused/)
  finds({ submissions: submissions.slice(1) }, /no client sent/)
})

test('a log whose order contradicts real time is a finding', () => {
  const late = { ...sent('a', 'begun', 100, RECORDED), answeredAt: CREATED + 500 }
  verify({ submissions: [late, ...submissions.slice(1)] })
  const swapped = [item('b', 'begun', 201, {}), item('a', 'begun', 201)]
  const both = [
    sent('a', 'begun', 200, RECORDED),
    { ...sent('b', 'begun', 210, RECORDED), sentAt: CREATED + 206 },
  ]
  finds({ longest: swapped, submissions: both }, /sent after its response|not between/)
})

test('a read that is older than an earlier response is a finding', () => {
  finds({ reads: [claimRead(300, 1, opened(contract, CREATED))] }, /sent after its response/)
})

test('a state that does not follow from the log is a finding', () => {
  finds({ reads: [claimRead(300, 2, pending(contract, 'FAILED', CREATED + 200))] }, /does not follow/)
  finds({ reads: [claimRead(300, 2, pending(contract, 'CONFIRMED', CREATED + 201))] }, /does not follow/)
})

test('a check of another minute than the window’s is a finding (§3 rule 1)', () => {
  const check = (at: string) => ({ id: 'c', type: 'activity_window_elapsed', created_at: at, system: true })
  const only = { submissions: submissions.slice(0, 1) }
  verify({ ...only, longest: [log[0] as LogItem, check('2026-01-01T10:02:00.000Z')] })
  finds(
    { ...only, longest: [log[0] as LogItem, check('2026-01-01T10:01:00.000Z')] },
    /but its first check is at/,
  )
  finds(
    { ...only, longest: [log[0] as LogItem, check('2026-01-01T10:02:00.001Z')] },
    /but its first check is at/,
  )
})
