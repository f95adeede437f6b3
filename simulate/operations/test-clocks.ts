import { type Client, outcomeOf, parse } from '../clients/client.ts'
import type { Account, ClockRecord } from '../clients/records.ts'
import { type Advance, observeDeleted, observeExisting, observeTime } from '../model/clock-history.ts'
import { assert } from '../model/finding.ts'
import { readPages } from './claims/read-pages.ts'

/** Before and after the real time, which has no effect on test clocks. */
const STARTS = ['2020-02-28T23:58:00.000Z', '2030-01-31T23:58:00.000Z']
const MINUTE_MS = 60_000
/** At and next to whole minutes. */
const STEPS = [
  0,
  1,
  999,
  MINUTE_MS - 1,
  MINUTE_MS,
  MINUTE_MS + 1,
  90_000,
  2 * MINUTE_MS,
  3_600_000,
  86_400_000,
]

export async function createClock(client: Client, account: Account): Promise<void> {
  client.world.count('create clock')
  const start = Date.parse(client.random.pick(STARTS))
  const time = start + client.random.pick([0, 0, 0, 1, 30_500, MINUTE_MS - 1])
  const frozen_time = new Date(time).toISOString()
  const reply = await client.send(account, {
    method: 'POST',
    path: '/v1/test_clocks',
    body: JSON.stringify({ frozen_time }),
  })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  assert(
    reply.status === 201,
    () => `a clock's creation was answered ${reply.status}`,
    () => reply,
  )
  const body = parse(reply.text)
  assert(
    body.frozen_time === frozen_time,
    () => 'a new clock has another time',
    () => body,
  )
  const id = body.id as string
  const clock: ClockRecord = {
    name: `clock ${id}`,
    id,
    path: `/v1/test_clocks/${id}`,
    advances: [],
    times: [],
    deletion: [],
    latest: time,
    isDeleted: false,
    unknownClaims: 0,
  }
  observeTime(clock, 'its creation', reply.sentAt, reply.answeredAt, time)
  account.clocks.push(clock)
}

export async function advanceClock(client: Client, account: Account): Promise<void> {
  const clock = client.pickClock(account)
  if (!clock) return createClock(client, account)
  client.world.count('advance clock')
  const to = clock.latest + client.random.pick(STEPS) + (client.random.chance(0.1) ? -MINUTE_MS : 0)
  const advance: Advance = { to, sentAt: 0, answeredAt: Infinity, outcome: 'unknown', transitions: null }
  clock.advances.push(advance)
  const frozen_time = new Date(to).toISOString()
  const request = { method: 'POST', path: `${clock.path}/advance`, body: JSON.stringify({ frozen_time }) }
  const reply = await client.send(account, request, { mayBeRefused: true })
  const { sentAt, answeredAt } = reply
  advance.sentAt = sentAt
  advance.outcome = outcomeOf(reply)
  if (reply.kind !== 'answer') return
  const what = `${client.name} advances to ${frozen_time}`
  if (reply.status === 404) return observeDeleted(clock, what, sentAt, answeredAt)
  if (reply.status === 400) {
    // The clock was past that time already.
    clock.times.push({
      what: `${what}, refused`,
      sentAt,
      answeredAt,
      atMostBefore: Infinity,
      atLeastAfter: to + 1,
    })
  } else if (reply.status === 200) {
    const body = parse(reply.text)
    assert(body.frozen_time === frozen_time, () => `${what}, and it answers ${body.frozen_time}`)
    advance.answeredAt = answeredAt
    advance.transitions = Number(body.transitions)
    clock.latest = Math.max(clock.latest, to)
    observeExisting(clock, what, sentAt, answeredAt)
  }
}

/** False: no response. */
export async function readClock(client: Client, account: Account, clock: ClockRecord): Promise<boolean> {
  client.world.count('read clock')
  const reply = await client.send(account, { method: 'GET', path: clock.path })
  if (reply.kind !== 'answer' || reply.status >= 500) return false
  const { sentAt, answeredAt } = reply
  const what = `${client.name} reads it`
  if (reply.status === 404) observeDeleted(clock, what, sentAt, answeredAt)
  else {
    const time = Date.parse(parse(reply.text).frozen_time as string)
    clock.latest = Math.max(clock.latest, time)
    observeTime(clock, what, sentAt, answeredAt, time)
    observeExisting(clock, what, sentAt, answeredAt)
  }
  return true
}

/** Rarely, so that most claims on clocks exist long enough to be verified. */
export async function deleteClock(client: Client, account: Account): Promise<void> {
  const clock = client.pickClock(account)
  if (!clock || account.clocks.filter(({ isDeleted }) => !isDeleted).length < 3) return
  client.world.count('delete clock')
  clock.isDeleted = true
  const reply = await client.send(account, { method: 'DELETE', path: clock.path })
  const { sentAt, answeredAt } = reply
  const outcome = outcomeOf(reply)
  const what = `${client.name} deletes it`
  if (reply.kind === 'answer' && reply.status === 404) observeDeleted(clock, what, sentAt, answeredAt)
  else if (outcome !== 'refused') {
    const until = outcome === 'done' ? answeredAt : Infinity
    clock.deletion.push({ what, sentAt, answeredAt: until, atMostBefore: 0, atLeastAfter: 1 })
  }
}

/** The list has each existing clock once, with its time at some moment of the request. */
export async function listClocks(client: Client, account: Account): Promise<void> {
  client.world.count('list clocks')
  const before = [...account.clocks]
  const order = client.random.pick(['asc', 'desc'])
  const found = await readPages(client, account, '/v1/test_clocks', { order })
  if (!found) return
  const ids = found.shown.map(({ row }) => row.id as string)
  const about = () => ({ order, ids })
  const places = new Map(ids.map((id, place) => [id, place]))
  assert(places.size === ids.length, () => 'a list shows a clock twice', about)
  for (const clock of before) {
    const shown = found.shown[places.get(clock.id) ?? -1]
    assert(shown !== undefined || clock.isDeleted, () => `${clock.name} is missing in a list`, about)
    if (!shown) continue
    const { row, sentAt, answeredAt } = shown
    assert(row.user_id === account.userId, () => `${clock.name} is listed as another account's`, about)
    const time = Date.parse(row.frozen_time as string)
    clock.latest = Math.max(clock.latest, time)
    observeTime(clock, `${client.name} lists it`, sentAt, answeredAt, time)
    observeExisting(clock, `${client.name} lists it`, sentAt, answeredAt)
  }
}
