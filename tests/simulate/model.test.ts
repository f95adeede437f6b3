import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guarded, readCsv } from '../../simulate/model/csv.ts'
import { liveOut, withIds } from '../../simulate/model/life.ts'
import { Rising } from '../../simulate/model/rising.ts'
import { SOME_CONTRACT as contract } from './some-contract.ts'

/* What finds defects must be seen to find them, and to find nothing where there is none. */

test('a file is read by its columns: quotes, line breaks and empty fields', () => {
  const text = 'id,name,due_at\n1,"a ""b"", c\nd",\n2,,2026-01-01\r\n'
  assert.deepEqual(readCsv(text), [
    { id: '1', name: 'a "b", c\nd', due_at: null },
    { id: '2', name: null, due_at: '2026-01-01' },
  ])
  assert.deepEqual(readCsv('id,name\n'), [])
})

test('a file that breaks off, or has a field too many, is a finding', () => {
  for (const text of ['id,name\n1,a', 'id,name\n1,a,b\n', 'id,name\n1,"a\n']) {
    assert.throws(() => readCsv(text), /CSV file/, text)
  }
})

test('names that look like formulas have a quote before them, and others none (§4.1)', () => {
  assert.deepEqual(['=1', '-a', 'a-b', 'a=b'].map(guarded), ["'=1", "'-a", 'a-b', 'a=b'])
})

test('a reader who began after a number was written or seen must not find a lower one', () => {
  const rising = new Rising('a number', 0)
  const early = rising.read()
  const { value, done } = rising.write()
  assert.equal(value, 1)
  early(0)
  rising.read()(0)
  rising.read()(1)
  assert.throws(() => rising.read()(0), /shows 0, after 1 was seen/)
  done()
  assert.throws(() => rising.read()(2), /before 2 was written/)
})

const AT = Date.parse('2026-01-01T10:00:20.000Z')
const planned = (ms: number, id: string | null, type: string, payload = {}) => ({
  at: AT + ms,
  id,
  type,
  payload,
})

test('a life has its events and checks in order, until nothing is due any more', () => {
  const events = withIds([
    planned(500, 'a', 'done', { value: 2 }),
    planned(100, null, 'begun'),
    planned(600, 'a', 'done', { value: 2 }),
    planned(700, 'a', 'done', { value: 3 }),
    planned(800, 'event-2', 'late'),
  ])
  assert.deepEqual(
    events.map(({ id }) => id),
    ['a', "event-2'", 'a', 'a', 'event-2'],
  )
  const { timeline, final } = liveOut(contract, AT, events, null)
  assert.deepEqual(
    timeline.map(({ kind, to, code, replayed }) => to ?? code ?? (replayed ? 'replayed' : kind)),
    ['event', 'event', 'PENDING', 'replayed', 'EVENT_ID_CONFLICT', 'CLAIM_NOT_OPEN', 'CONFIRMED'],
  )
  assert.equal(final.status_since, Date.parse('2026-01-01T10:01:00.000Z'))
})

test('without what it waits for it ends by its windows, a check each', () => {
  const { timeline, final } = liveOut(contract, AT, [], null)
  assert.deepEqual(
    timeline.map(({ at, to }) => `${at} ${to}`),
    ['2026-01-01T10:02:00.000Z PENDING', '2026-01-01T10:03:00.000Z FAILED'],
  )
  assert.equal(final.due_at, null)
})
