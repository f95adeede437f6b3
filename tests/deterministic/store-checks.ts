import type { Outcome, Status } from '../support/source/claims.ts'
import type { Handler, Row } from './backend.ts'
import type { StoredClaim } from './store.ts'
import { arrayOf, claimsOf } from './store-submissions.ts'

/* The statements of the scheduled check: src/checks/{due-claim,move-claims}-store.ts, src/overview/resolution-total-store.ts. */

const words = (value: unknown) => arrayOf(value) as string[]
const HOUR_MS = 3_600_000

const takeTurns: Handler = (store, backend, { values: [shards] }) =>
  (shards as number[]).filter(() => store.tryLock(backend, 'turn')).map((shard) => ({ shard }))

const takeBackTotals: Handler = (store, backend, { values: [time] }) => {
  const at = time as Date
  if (store.mark < at) return []
  store.lock(backend, 'mark')
  const hour = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS
  backend.change(() => {
    store.mark = new Date(hour - 1)
  })
  return []
}

const holdTotalsBefore: Handler = (store, backend, { values: [time] }) => {
  if (store.mark >= (time as Date)) return []
  store.lock(backend, 'mark', true)
  return store.mark < (time as Date) ? [{}] : []
}

const listDue: Handler = (store, _backend, { values: [time, afterDueAt, afterId, dueAt, id, limit] }) => {
  const after = placeOf(afterDueAt, afterId)
  const upTo = placeOf(dueAt, id)
  const due = [...store.claims.values()]
    .filter(({ dueAt, testClockId }) => dueAt && testClockId === null && dueAt <= (time as Date))
    .map((claim) => ({ claim, place: placeOf(claim.dueAt, claim.id) }))
    .filter(({ place }) => place > after && place <= upTo)
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, limit as number)
    .map(({ claim }) => claim)
  const ids = due.map(({ id }) => id).sort()
  const last = due.at(-1)
  return [
    {
      count: due.length,
      ids: ids.length === 0 ? null : Buffer.from(ids.join('').replaceAll('-', ''), 'hex'),
      due_at: last?.dueAt ?? null,
      id: last?.id ?? null,
    },
  ]
}

/** As texts, places are in their order. */
const placeOf = (dueAt: unknown, id: unknown) =>
  `${dueAt === '-infinity' ? '' : (dueAt as Date).toISOString()} ${id}`

const readDueKinds: Handler = (store, _backend, { values: [ids, time] }) => {
  const checkTime = time as Date
  const due = claimsOf(store, ids).filter(
    ({ dueAt, since }) => dueAt && dueAt <= checkTime && since < checkTime,
  )
  return [...Map.groupBy(due, (claim) => JSON.stringify(kindOf(claim, checkTime))).values()].map(
    (claims): Row => ({
      ...kindOf(claims[0] as StoredClaim, checkTime),
      status_since: new Date(Math.max(...claims.map(({ since }) => Number(since)))),
      due_at: new Date(Math.max(...claims.map(({ dueAt }) => Number(dueAt)))),
      count: claims.length,
      ids: `{${claims.map(({ id }) => id).join(',')}}`,
      event_counts: `{${claims.map(({ eventCount }) => eventCount).join(',')}}`,
    }),
  )
}

function kindOf({ status, outcome, contract, log, lastEventAt }: StoredClaim, checkTime: Date): Row {
  const last = status === 'OPEN' ? log.at(-1)?.createdAt : lastEventAt
  const isOpen = status === 'OPEN'
  return {
    status,
    scheduled_outcome: outcome,
    review_window: isOpen ? contract.review_window : null,
    timeout_outcome: isOpen ? contract.timeout_outcome : null,
    review_calendar: null,
    last_event_at: last && last > checkTime ? last : null,
  }
}

const moveKinds: Handler = (store, backend, { values }) => {
  const [ids, seen, kinds] = values.slice(0, 3).map(words) as [string[], string[], string[]]
  const [from, to, outcomes, sinces, dues, types] = values.slice(5).map(arrayOf) as string[][]
  const decided = ids
    .map((id, i) => ({ id, seen: Number(seen[i]), kind: Number(kinds[i]) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  store.lockClaims(
    backend,
    decided.map(({ id }) => id),
  )
  const moved = decided.flatMap(({ id, seen, kind }) => {
    const claim = store.claims.get(id)
    if (!claim) return []
    return claim.status === from?.[kind] && claim.eventCount === seen ? { claim, kind } : []
  })
  for (const { claim, kind } of moved) {
    const since = new Date(sinces?.[kind] as string)
    const due = dues?.[kind] ?? null
    const event = {
      id: store.newId(),
      type: types?.[kind] as string,
      payload: '{}',
      system: true,
      createdAt: since,
      lateMs: null,
    }
    backend.change(() => {
      claim.status = to?.[kind] as Status
      claim.outcome = outcomes?.[kind] as Outcome
      claim.since = since
      claim.dueAt = due === null ? null : new Date(due)
      claim.digest = null
      claim.lastEventAt = null
      claim.log.push({ ...event, seq: ++claim.eventCount })
      if (claim.decidedCount !== null) claim.decidedCount++
    })
  }
  return [{ moved: moved.length }]
}

/** No claim has reminders. */
const sendReminders: Handler = () => [{ claims: 0, sent: 0 }]

const readClock: Handler = (_store, _backend, { at }) => [{ now: at }]

export const CHECK_HANDLERS = {
  take_check_turns: takeTurns,
  take_back_totals: takeBackTotals,
  hold_totals_before: holdTotalsBefore,
  list_due: listDue,
  read_due_kinds: readDueKinds,
  move_kinds: moveKinds,
  send_reminders: sendReminders,
  read_clock: readClock,
}
