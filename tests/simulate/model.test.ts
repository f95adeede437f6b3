import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedNames } from '../../simulate/clients/shared-names.ts'
import { escapeFormula, readCsv } from '../../simulate/model/csv.ts'
import { Finding, findingOf } from '../../simulate/model/finding.ts'
import { MonotonicRegister } from '../../simulate/model/monotonic-register.ts'
import { simulateClaim, withIds } from '../../simulate/model/simulate-claim.ts'
import { asListed } from '../../simulate/operations/claims/export-records.ts'
import { seeded } from '../../simulate/random.ts'
import { SOME_CONTRACT as contract } from './some-contract.ts'

/* The verification finds violations, and nothing in correct data. */

test('a file is read by its columns: quotes, line breaks and empty fields', () => {
  const text = 'id,name,due_at\n1,"a ""b"", c\nd",\n2,,2026-01-01\r\n'
  assert.deepEqual(readCsv(text), [
    { id: '1', name: 'a "b", c\nd', due_at: null },
    { id: '2', name: null, due_at: '2026-01-01' },
  ])
  assert.deepEqual(readCsv('id,name\n'), [])
})

test('an incomplete CSV file or a row with too many fields is a finding', () => {
  for (const text of ['id,name\n1,a', 'id,name\n1,a,b\n', 'id,name\n1,"a\n']) {
    assert.throws(() => readCsv(text), /CSV/, text)
  }
})

test('a quote precedes names that look like formulas, and no others (§4.1)', () => {
  assert.deepEqual(['=1', '-a', 'a-b', 'a=b'].map(escapeFormula), ["'=1", "'-a", 'a-b', 'a=b'])
})

test('a filter by price accepts an exported row of a claim whose creation has no response yet', () => {
  const fields = { id: '0', customer_id: '1', price: '12.5', test_clock_id: null, metadata: '{}' }
  const row = asListed({ byAddress: new Map(), customers: [] }, fields, () => fields)
  assert.deepEqual(row.contract, { price: 12.5 })
})

test('an account uses a name once, and shares it with other accounts', () => {
  const names = new SharedNames()
  const random = seeded(1)
  let created = 0
  const taken = ['a', 'b', 'c'].map(() => new Set<string>())
  for (let i = 0; i < 300; i++) {
    const own = taken[i % 3] as Set<string>
    const name = names.take(`account ${i % 3}`, random, () => `name ${++created}`)
    assert.ok(!own.has(name), name)
    own.add(name)
  }
  const shared = [...(taken[0] as Set<string>)].filter((name) => taken[1]?.has(name))
  assert.ok(shared.length > 10, `${shared.length} of 100 are shared`)
})

test('an exception of the verification becomes a finding, and a finding stays unchanged', () => {
  const finding = new Finding('two items')
  assert.equal(findingOf(finding), finding)
  const { message, about } = findingOf(new TypeError('Cannot read properties of undefined'))
  assert.equal(message, 'the verification failed: TypeError: Cannot read properties of undefined')
  assert.match(String(about), /model\.test\.ts/)
})

test('a read returns no lower value than an earlier write or read', () => {
  const rising = new MonotonicRegister('a number', 0)
  const early = rising.read()
  const { value, done } = rising.write()
  assert.equal(value, 1)
  early(0)
  rising.read()(0)
  rising.read()(1)
  assert.throws(() => rising.read()(0), /shows 0, after 1 was read/)
  done()
  assert.throws(() => rising.read()(2), /before 2 was written/)
})

const AT = Date.parse('2026-01-01T10:00:20.000Z')
const timedEvent = (ms: number, id: string | null, type: string, payload = {}) => ({
  at: AT + ms,
  id,
  type,
  payload,
})

test('a simulated claim has its events and checks in order, until nothing is due', () => {
  const events = withIds([
    timedEvent(500, 'a', 'done', { value: 2 }),
    timedEvent(100, null, 'begun'),
    timedEvent(600, 'a', 'done', { value: 2 }),
    timedEvent(700, 'a', 'done', { value: 3 }),
    timedEvent(800, 'event-2', 'late'),
  ])
  assert.deepEqual(
    events.map(({ id }) => id),
    ['a', "event-2'", 'a', 'a', 'event-2'],
  )
  const { timeline, final } = simulateClaim(contract, AT, events, null)
  assert.deepEqual(
    timeline.map(({ kind, to, code, replayed }) => to ?? code ?? (replayed ? 'replayed' : kind)),
    ['event', 'event', 'PENDING', 'replayed', 'EVENT_ID_CONFLICT', 'CLAIM_NOT_OPEN', 'CONFIRMED'],
  )
  assert.equal(final.status_since, Date.parse('2026-01-01T10:01:00.000Z'))
})

test('a simulated claim without events times out, with one check for each window', () => {
  const { timeline, final } = simulateClaim(contract, AT, [], null)
  assert.deepEqual(
    timeline.map(({ at, to }) => `${at} ${to}`),
    ['2026-01-01T10:02:00.000Z PENDING', '2026-01-01T10:03:00.000Z FAILED'],
  )
  assert.equal(final.due_at, null)
})
