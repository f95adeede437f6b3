import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { distributionOver } from '../support/distribution-over.ts'
import { holdClock } from '../support/held-rows.ts'
import { newClaim, newClock } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { type Kind, type PendingSubmission, SubmissionLines } from '../support/source/decisions.ts'
import { claimsOn, flood } from './floods.ts'

/* What one account sends, or holds, is nobody else's trouble. */

const service = await sharedService()
const NEW = '2026-02-01T00:00:00.000Z'

describe('while an account’s clock is held and all that may wait of the account waits for it', () => {
  test('its creations on that clock leave lists and creations of all alone, and are made once it is free', async (t) => {
    const [first, second] = [await service.newAccount(), await service.newAccount()]
    const clock = await newClock(first)
    const customer_id = await first.customer('acme')
    const customers = [
      [first, customer_id],
      [second, await second.customer('acme')],
    ] as const
    const held = await holdClock(t, service.databaseUrl, clock)
    const body = { customer_id, contract: contractWith(), test_clock_id: clock }
    // More than there are connections.
    const creating = Array.from({ length: 30 }, () => first.post('/v1/claims', body))
    const createAndList = async ([api, customer]: (typeof customers)[number]) => {
      const { id } = await api.claim(customer, contractWith())
      const { data } = (await api.get('/v1/claims')).body
      assert.ok(data.some((claim: { id: string }) => claim.id === id))
    }
    // All at once: whatever waits for the clock is refused after five seconds.
    const [clocks] = await Promise.all([second.get('/v1/test_clocks'), ...customers.map(createAndList)])
    assert.equal(clocks.status, 200)
    await held.run('UPDATE test_clocks SET frozen_time = $2 WHERE id = $1', [clock, NEW])
    await held.letGo()
    for (const { status, body } of await Promise.all(creating)) {
      assert.deepEqual([status, body.created_at], [201, NEW])
    }
  })

  test('its advances wait without connections, and are made one after the other', async (t) => {
    const [first, second] = [await service.newAccount(), await service.newAccount()]
    const clock = await newClock(first)
    const customer = await second.customer('acme')
    const held = await holdClock(t, service.databaseUrl, clock)
    const advancing = Array.from({ length: 30 }, () =>
      first.post(`/v1/test_clocks/${clock}/advance`, { frozen_time: NEW }),
    )
    await Promise.all(Array.from({ length: 5 }, () => second.claim(customer, contractWith())))
    await held.letGo()
    for (const { status } of await Promise.all(advancing)) assert.equal(status, 200)
    assert.equal((await first.delete(`/v1/test_clocks/${clock}`)).status, 204)
  })

  test('a submission to it answers 404 once it is deleted', async (t) => {
    const api = await service.newAccount()
    const clock = await newClock(api)
    const [claim_id] = await claimsOn(api, clock, 1)
    const held = await holdClock(t, service.databaseUrl, clock)
    const answer = api.post('/v1/events', { claim_id, type: 'a' })
    await held.run('DELETE FROM claims WHERE test_clock_id = $1', [clock])
    await held.run('DELETE FROM test_clocks WHERE id = $1', [clock])
    await held.letGo()
    assertError(await answer, 404, 'CLAIM_NOT_FOUND')
  })
})

test('a stranger’s submissions to a claim stand in a line of their own', async () => {
  const [owner, stranger] = [await service.newAccount(), await service.newAccount()]
  const { id } = await newClaim(owner)
  const flooding = flood(stranger, [id], 5)
  for (let i = 0; i < 20; i++) {
    assert.equal((await owner.post('/v1/events', { claim_id: id, id: `${i}`, type: 'a' })).status, 201)
  }
  assert.ok((await flooding).every(({ status }) => status === 404 || status === 503))
  assert.equal((await owner.readClaim(id)).events.length, 20)
})

describe('a group', () => {
  const waitingOf = (userId: string, payloadBytes = 2) =>
    ({ machine: 0, request: { userId, submission: { payloadBytes } } }) as PendingSubmission
  const countBy = (lines: SubmissionLines, kind: Kind = 'light') => {
    const taken = lines.take(kind)
    const counts = Object.groupBy(
      taken.flatMap(({ submissions }) => submissions),
      ({ request }) => request.userId,
    )
    for (const { line, submissions } of taken) {
      for (const one of submissions) lines.leave(one)
      lines.open(line)
    }
    return Object.fromEntries(Object.entries(counts).map(([id, all]) => [id, all?.length]))
  }

  test('takes of all accounts in equal parts, whatever the one has waiting and in how many lines', () => {
    const lines = new SubmissionLines()
    for (let i = 0; i < 2_000; i++) lines.add(`a${i % 700}`, waitingOf('a'))
    for (let i = 0; i < 2_000; i++) lines.add('b', waitingOf('b'))
    lines.add('c', waitingOf('c'))
    assert.deepEqual(countBy(lines), { a: 167, b: 167, c: 1 })
    assert.deepEqual(countBy(lines), { a: 250, b: 250 })
    let left = 2_000 - 417
    for (; left > 500; left -= 250) assert.deepEqual(countBy(lines), { a: 250, b: 250 })
  })

  test('of more accounts than it has room for takes one of each, and the others come next', () => {
    const lines = new SubmissionLines()
    for (let i = 0; i < 700; i++) for (const claim of ['x', 'y']) lines.add(claim, waitingOf(`${i}`))
    const both = [...Object.keys(countBy(lines)), ...Object.keys(countBy(lines))]
    assert.equal(both.length, 1_000)
    assert.equal(new Set(both).size, 700)
  })

  test('takes large payloads in equal parts too', () => {
    const lines = new SubmissionLines()
    const large = 64 * 1024
    for (let i = 0; i < 40; i++) lines.add(`${i}`, waitingOf('a', large))
    for (let i = 0; i < 3; i++) lines.add(`${i}`, waitingOf(`b${i}`, large))
    assert.deepEqual(countBy(lines), { a: 4, b0: 1, b1: 1, b2: 1 })
  })

  test('takes no more than a mebibyte of payloads: all of it is decided and written in a few turns of the loop', () => {
    const lines = new SubmissionLines()
    for (let i = 0; i < 400; i++) lines.add(`${i % 2}`, waitingOf('a', 30_000))
    const taken = countBy(lines)
    assert.deepEqual(taken, { a: 34 })
  })

  test('of heavy claims takes them by themselves, in equal parts, and no more than there is time to read', () => {
    const lines = new SubmissionLines()
    for (let i = 0; i < 40; i++) lines.add(`${i}`, waitingOf('a'))
    lines.add('light', waitingOf('a'))
    for (let i = 0; i < 3; i++) lines.add(`${i}`, waitingOf('b'))
    for (const { line, submissions } of lines.take('light')) {
      lines.giveBack(line, submissions)
      line.heavyBytes = line.claimId === 'light' ? 0 : 20 * 1024
      lines.open(line)
    }
    assert.deepEqual(countBy(lines, 'heavy'), { a: 3, b: 3 })
    assert.deepEqual(countBy(lines, 'heavy'), { a: 6 })
    assert.deepEqual(countBy(lines, 'light'), { a: 1 })
    assert.deepEqual([lines.openCount('light'), lines.openCount('heavy')], [0, 31])
    assert.equal(lines.removeWhere(() => true).length, 31)
    assert.deepEqual([lines.openCount('heavy'), lines.waiting, lines.take('heavy')], [0, 0, []])
  })

  test('of one account alone half of the places can be filled, and there is room for the next, and the next', () => {
    const lines = new SubmissionLines()
    const filled = ['a', 'b', 'c'].map((userId) => {
      let count = 0
      for (; lines.hasRoom(userId, 2, 'x'); count++) lines.add('x', waitingOf(userId))
      return count
    })
    assert.deepEqual(filled, [5_000, 2_500, 1_250])
    assert.ok(lines.hasRoom('d', 256 * 1024, 'x'))
  })

  test('a machine that is away has half of an account’s places, and others still have room', () => {
    const distribution = distributionOver([-(2 ** 31), 0], [1, 2])
    distribution.markDown(1)
    const lines = new SubmissionLines(distribution)
    const idOf = (machine: number) => {
      for (;;) {
        const id = randomUUID()
        if (distribution.nodeOf(id) === machine) return id
      }
    }
    const filled = [1, 2].map((machine) => {
      const id = idOf(machine)
      let count = 0
      for (; lines.hasRoom('a', 2, id); count++) lines.add(id, waitingOf('a'))
      return count
    })
    assert.deepEqual(filled, [3_334, 1_666])
    assert.equal(lines.removeWhere(({ machine }) => machine === 1).length, 3_334)
    assert.ok(lines.hasRoom('a', 2, idOf(1)))
  })
})
