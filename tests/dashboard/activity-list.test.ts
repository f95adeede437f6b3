import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ActivityList, withNewer, withOlder } from '../../dashboard/src/notifications/activity-entry.ts'
import { readEventStream, type StreamedEvent } from '../../dashboard/src/notifications/event-stream.ts'
import type { FeedItem } from '../../dashboard/src/notifications/notifications-api.ts'

/** The notification with this number. In a stream each item has a cursor, in a page only the last. */
const itemOf = (number: number, hasCursor = true): FeedItem => ({
  notification: {
    id: `n${number}`,
    type: 'test_clock.advanced',
    created_at: '2026-01-01T00:00:00.000Z',
    sequence: 0,
  },
  cursor: hasCursor ? `c${number}` : null,
})
/** The page of the feed before this number, newest first. */
const pageBefore = (end: number, size: number) => {
  const numbers = Array.from({ length: Math.min(size, end) }, (_, i) => end - 1 - i)
  const items = numbers.map((number) => itemOf(number, number === numbers.at(-1)))
  return { items, cursor: `c${numbers.at(-1)}`, hasMore: numbers.at(-1) !== 0 }
}
const numbersOf = ({ entries }: ActivityList) => entries.map(({ id }) => Number(id.slice(1)))
const countDown = (first: number, last: number) =>
  Array.from({ length: first - last + 1 }, (_, i) => first - i)

test('the activity list keeps a limited number of rows and continues from its last row without a gap', () => {
  let list = withOlder({ entries: [], older: null }, pageBefore(100, 50))
  for (let number = 100; number < 1000; number++) {
    list = withNewer(list, [itemOf(number)], 500)
    assert.ok(list.entries.length <= 500)
  }
  assert.deepEqual(numbersOf(list), countDown(999, 500))
  assert.equal(list.older, 'c500')
  list = withOlder(list, pageBefore(500, 50))
  assert.deepEqual(numbersOf(list), countDown(999, 450))
  // A page is removed as a whole, because only its last item has a cursor to continue from.
  list = withNewer(list, [itemOf(1000)], 549)
  assert.deepEqual(numbersOf(list), countDown(1000, 500))
  assert.equal(list.older, 'c500')
})

test('an entry that is read twice is shown once, and entries that arrive together stay in order', () => {
  const first = withOlder({ entries: [], older: null }, pageBefore(10, 4))
  const list = withNewer(
    first,
    [8, 9, 10, 11].map((number) => itemOf(number)),
    500,
  )
  assert.deepEqual(numbersOf(list), countDown(11, 6))
  assert.equal(withOlder(list, pageBefore(6, 50)).older, null)
})

test('a stream of events is read wherever it is split into chunks', async () => {
  const text = 'retry: 1000\n\nid: a\nevent: x\ndata: {"name":"Zoë 🎈"}\n\nid: b\n\n'
  const expected = [
    { id: null, data: '' },
    { id: 'a', data: '{"name":"Zoë 🎈"}' },
    { id: 'b', data: '' },
  ]
  const bytes = new TextEncoder().encode(text)
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
    const events: StreamedEvent[] = []
    for await (const chunk of readEventStream(body)) events.push(...chunk)
    assert.deepEqual(events, expected, `chunks of ${size} bytes`)
  }
})
