import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumAmounts } from '../../dashboard/src/components/sum-amounts.ts'
import { shortDuration } from '../../dashboard/src/short-duration.ts'
import { conditionInWords, contractInWords } from '../../src/domain/contract/contract-in-words.ts'
import { durationInWords } from '../../src/domain/contract/duration-in-words.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'

test('a contract is told in sentences: its worth, what must happen by when, what counts otherwise, the review', () => {
  const contract = contractWith({
    price: 49.5,
    activity_window: 86_400,
    review_window: 7_200,
    fulfillment_condition: all({ event: 'ticket_resolved' }, { event: 'satisfaction', gte: 4 }),
    timeout_outcome: 'fail',
  })
  assert.deepEqual(contractInWords(contract), [
    'The claim is worth 49.50.',
    'It is to be CONFIRMED once, within 1 day of its opening, “ticket_resolved” has arrived and “satisfaction” with a value of at least 4 has arrived.',
    'If that does not happen in time, it is to be FAILED.',
    'The outcome is then under review for 2 hours before it is final.',
  ])
})

test('a contract without review that confirms by itself says so', () => {
  const words = contractInWords(contractWith({ review_window: 0, timeout_outcome: 'confirm' })).join(' ')
  assert.match(words, /If that does not happen in time, it is to be CONFIRMED\./)
  assert.match(words, /There is no review/)
})

test('alternatives within a list are set in brackets, so that none is read with the wrong neighbour', () => {
  const [a, b, c] = [{ event: 'a' }, { event: 'b' }, { event: 'c' }]
  assert.equal(conditionInWords(any(a, b)), 'either “a” has arrived or “b” has arrived')
  assert.equal(
    conditionInWords(all(a, any(b, c))),
    '“a” has arrived and (either “b” has arrived or “c” has arrived)',
  )
  assert.equal(conditionInWords(all(a, b, c)), '“a” has arrived, “b” has arrived, and “c” has arrived')
})

test('what must not happen is told without a double negation', () => {
  assert.equal(
    conditionInWords(not({ event: 'complaint', gt: 3 })),
    'no “complaint” with a value of more than 3 has arrived',
  )
  assert.equal(conditionInWords(not(not({ event: 'a' }))), '“a” has arrived')
  assert.equal(
    conditionInWords(not(all({ event: 'a' }, { event: 'b' }))),
    'not: (“a” has arrived and “b” has arrived)',
  )
})

test('what an event must carry is told: match, nested match, field and range', () => {
  assert.equal(
    conditionInWords({ event: 'delivered', match: { country: 'DE', by: { name: 'DHL' } } }),
    '“delivered” with country = "DE" and by.name = "DHL" has arrived',
  )
  assert.equal(
    conditionInWords({ event: 'answer', match: 'yes' }),
    '“answer” with the value "yes" has arrived',
  )
  assert.equal(
    conditionInWords({ event: 'photo', field: 'size.width', gte: 100, lt: 200 }),
    '“photo” with a size.width of at least 100 and less than 200 has arrived',
  )
})

test('conditions of nothing are told as they are judged: AND holds, OR never', () => {
  assert.equal(conditionInWords(all()), 'any event has arrived')
  assert.equal(conditionInWords(any()), '(never: no alternative is named)')
  assert.equal(conditionInWords(all({ event: 'a' })), '“a” has arrived')
})

test('durations are exact in words, and short in tables', () => {
  assert.equal(durationInWords(0), 'no time')
  assert.equal(durationInWords(1), '1 second')
  assert.equal(durationInWords(93_780.5), '1 day 2 hours 3 minutes 0.5 seconds')
  assert.equal(durationInWords(2_592_000), '30 days')
  assert.equal(shortDuration(93_780_000), '1d 02h')
  assert.equal(shortDuration(125_000), '2m 05s')
})

test('amounts are added exactly, where floating point would not', () => {
  assert.equal(sumAmounts(['0.1', '0.2', '1000000000000.07']), '1000000000000.37')
  assert.equal(sumAmounts(['5', '7']), '12')
  assert.equal(sumAmounts([]), '0')
})
