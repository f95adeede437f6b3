import { type Client, parse } from '../clients/client.ts'
import { now } from '../clients/http-connection.ts'
import type { Account, ClaimRecord, FollowedFeed, SeenNotification } from '../clients/records.ts'
import { stateOf, teamOf } from '../clients/world.ts'
import { type State, withoutClock } from '../model/contract.ts'
import { assert, Finding } from '../model/finding.ts'
import { canonical, type JsonObject } from '../model/json.ts'
import { assertOnce, remindersOnClock, type SentReminder, verifyReminders } from '../model/reminders.ts'
import { replay } from '../model/replay.ts'

const FEED_READERS = 3
export const followedFeeds = (): FollowedFeed[] =>
  Array.from({ length: FEED_READERS }, (_, i) => ({
    isOfEvents: i > 0,
    cursor: null,
    seen: [],
    isBusy: false,
  }))

const CHANGES = ['created', 'pending', 'outcome_changed', 'confirmed', 'failed', 'due_soon']
export const TYPES_WITH_EVENTS = [
  ...['claim', 'candidate'].flatMap((kind) =>
    [...CHANGES, 'event_recorded'].map((what) => `${kind}.${what}`),
  ),
  'test_clock.advanced',
]

/** Turns on the account's event notifications, before any fault. */
export async function enableEventNotifications(client: Client, account: Account): Promise<void> {
  const body = JSON.stringify({ event_recorded: true })
  const reply = await client.send(account, { method: 'PATCH', path: '/v1/notification_settings', body })
  if (reply.kind !== 'answer' || reply.status !== 200)
    throw new Finding('the notification settings were not changed', reply)
  account.hasEventNotifications = true
}

/** Reads to the current end, or waits there for a moment. */
export async function followFeed(client: Client, account: Account): Promise<void> {
  const feed = client.random.pick(account.feeds)
  if (feed.isBusy) return
  feed.isBusy = true
  client.world.count('follow feed')
  await readOn(client, account, feed, client.random.pick([0, 0, 1]))
  feed.isBusy = false
}

/** False: a response is missing. */
async function readOn(client: Client, account: Account, feed: FollowedFeed, wait: number): Promise<boolean> {
  for (;;) {
    const query = new URLSearchParams({
      limit: `${client.random.pick([1, 7, 100, 100, 100])}`,
      wait: `${wait}`,
    })
    if (feed.isOfEvents) query.set('types', TYPES_WITH_EVENTS.join(','))
    if (feed.cursor !== null) query.set('after', feed.cursor)
    const reply = await client.send(account, { method: 'GET', path: `/v1/notifications?${query}` })
    if (reply.kind !== 'answer' || reply.status !== 200) return false
    const { data, next_cursor, has_more } = parse(reply.text) as {
      data: JsonObject[]
      next_cursor: string
      has_more: boolean
    }
    feed.seen.push(...data.map(toSeenNotification))
    feed.cursor = next_cursor
    if (!has_more) return true
  }
}

export function toSeenNotification(body: JsonObject): SeenNotification {
  const record = (body.claim ?? body.candidate ?? body.test_clock) as JsonObject
  const isClock = body.test_clock !== undefined
  return {
    id: body.id as string,
    type: body.type as string,
    sequence: body.sequence as number,
    event: body.event === undefined ? null : ((body.event as JsonObject).id as string),
    reminder: (body.reminder ?? null) as number | null,
    checkedAt: (body.checked_at ?? null) as string | null,
    address: isClock ? null : ((record.candidate_alias ?? record.id) as string),
    // Metadata changes (§2.14 rule 4), except the team.
    record: isClock ? record : { ...record, metadata: { team: teamOf(record) } },
  }
}

const MAX_TRIES = 10

async function readToEnd(client: Client, account: Account, feed: FollowedFeed): Promise<void> {
  let isRead = false
  for (let i = 0; i < MAX_TRIES && !isRead; i++) isRead = await readOn(client, account, feed, 0)
  assert(isRead, () => 'the notifications cannot be read without faults')
}

/** All current notifications. */
export async function readFeed(
  client: Client,
  account: Account,
  isOfEvents: boolean,
): Promise<SeenNotification[]> {
  const fresh = { isOfEvents, cursor: null, seen: [], isBusy: false }
  await readToEnd(client, account, fresh)
  return fresh.seen
}

/**
 * At the end all readers have the same notifications in the same order, and they agree with the logs. Notifications
 * of records that were deleted with a test clock are known only to earlier readers.
 */
export async function verifyFeeds(client: Client, account: Account): Promise<void> {
  // Checks continue: a later read may have more.
  const fresh = await readFeed(client, account, true)
  for (const feed of account.feeds) await readToEnd(client, account, feed)
  const left = new Set(fresh.map(({ id }) => id))
  assert(left.size === fresh.length, () => 'a notification is in the feed twice')
  for (const [i, feed] of account.feeds.entries()) {
    const expected = fresh.filter(({ event }) => feed.isOfEvents || event === null).map(lineOf)
    const had = feed.seen.filter(({ id }) => left.has(id)).map(lineOf)
    const at = expected.findIndex((line, place) => had[place] !== line)
    assert(
      at < 0 && had.length === expected.length,
      () =>
        `reader ${i} of the notifications has other notifications than a new reader, from number ${at} on`,
      () => ({ expected: expected.slice(at - 3, at + 5), had: had.slice(at - 3, at + 5) }),
    )
  }
  const byAddress = Map.groupBy(fresh, ({ address }) => address)
  for (const claim of account.claims)
    if (!claim.isDeleted)
      verifyNotifications(client, claim, byAddress.get(claim.address) ?? [], account.hasEventNotifications)
}

export const lineOf = ({ type, sequence, event, reminder, checkedAt, record }: SeenNotification) =>
  canonical({ type, sequence, event, reminder, checkedAt, record })

function verifyNotifications(
  client: Client,
  claim: ClaimRecord,
  notifications: readonly SeenNotification[],
  hasEventNotifications: boolean,
): void {
  const isReminder = ({ type }: SeenNotification) => type.endsWith('.due_soon')
  verifyClaim(
    claim,
    notifications.filter((one) => !isReminder(one)),
    hasEventNotifications,
  )
  verifyRemindersOf(client, claim, notifications.filter(isReminder))
}

/** §2.16. On the real time they are verified only if no fault steps the clocks: otherwise the times of checks are unknown. */
function verifyRemindersOf(
  { world }: Client,
  claim: ClaimRecord,
  notifications: readonly SeenNotification[],
): void {
  const { name, terms, longest, clock, reminders } = claim
  const sent = notifications.map(
    ({ reminder, checkedAt, record }): SentReminder => ({
      reminder: reminder as number,
      checkedAt: Date.parse(checkedAt as string),
      state: stateOf(record),
    }),
  )
  assertOnce(reminders, sent)
  if (clock) {
    const expected = remindersOnClock(terms, longest, reminders, clock.latest)
    const shown = (reminders: readonly SentReminder[]) =>
      canonical(
        reminders
          .toSorted((a, b) => a.checkedAt - b.checkedAt)
          .map(({ state, ...rest }) => ({ ...rest, state: { ...withoutClock(state) } })),
      )
    assert(
      shown(sent) === shown(expected),
      () => `the reminders of ${name} are not those that follow from its log`,
      () => ({ claim: terms, log: longest.slice(0, 50), clock: clock.latest, sent, expected }),
    )
  } else if (world.clocksAreRight) {
    const isCalm = (from: number, until: number) => !world.faultPeriods.overlaps(from, until, 0)
    verifyReminders(terms, longest, reminders, sent, { now: now(), isCalm })
  }
}

/** §2.1a: another scheduled outcome in the same status. */
const isReversal = (before: State, after: State) =>
  before.status === after.status && before.scheduled_outcome !== after.scheduled_outcome

/** One notification for each state of its log, and one for each event, with the state before it. */
function verifyClaim(
  { name, alias, terms, longest }: ClaimRecord,
  notifications: readonly SeenNotification[],
  hasEventNotifications: boolean,
): void {
  const kind = alias === null ? 'claim' : 'candidate'
  const states = replay(terms, longest).map(withoutClock)
  const line = (what: string, sequence: number, state: State, event: string | null) =>
    `${kind}.${what} ${sequence} ${event} ${canonical({ ...state })}`
  const shown = notifications.map(({ type, sequence, event, record }) =>
    line(type.slice(type.indexOf('.') + 1), sequence, stateOf(record), event),
  )
  const expected = states.flatMap((state, i) => {
    const [before, item] = [states[i - 1], longest[i - 1]]
    if (!before || !item) return line('created', 0, state, null)
    return [
      ...(hasEventNotifications && !item.system ? [line('event_recorded', i, before, item.id)] : []),
      ...(state.status === before.status ? [] : [line(state.status.toLowerCase(), i, state, null)]),
      ...(isReversal(before, state) ? [line('outcome_changed', i, state, null)] : []),
    ]
  })
  // A check may have moved the claim after its log was read.
  const atCheck = notifications
    .slice(expected.length)
    .filter(({ sequence, event }) => sequence > longest.length && event === null)
  assert(
    canonical(shown.slice(0, shown.length - atCheck.length)) === canonical(expected),
    () => `the notifications of ${name} are not those that follow from its log`,
    () => ({ shown, expected }),
  )
}
