import { hashOf } from '../support/source/claims.ts'
import type { Handler, Row } from './backend.ts'
import type { Store, StoredClaim, StoredEvent } from './store.ts'

/* The statements of submissions: src/claims/{claim-row,long-log,claim-log}-store.ts, src/claims/write/, src/test-clocks/test-clock-store.ts. */

const LONG_LOG = 64 * 1024

/** An array as PostgreSQL or JavaScript writes it. */
export function arrayOf(value: unknown): (string | null)[] {
  if (Array.isArray(value)) return value as string[]
  const elements =
    String(value)
      .slice(1, -1)
      .match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? []
  return elements.map((element) => {
    if (element.startsWith('"')) return JSON.parse(element)
    return /^null$/i.test(element) ? null : element
  })
}
const words = (value: unknown) => arrayOf(value) as string[]

const estimatedBytes = ({ logBytes, eventCount }: StoredClaim) => logBytes + 100 * eventCount
const isShort = (claim: StoredClaim) => estimatedBytes(claim) <= LONG_LOG
const isDecisive =
  ({ decisiveTypes, decidedCount }: StoredClaim) =>
  ({ type, system }: StoredEvent) =>
    decisiveTypes.includes(type) || (decidedCount !== null && system)
const latest = (times: readonly Date[]) => new Date(Math.max(...times.map(Number)))
const orNull = <T>(list: T[]) => (list.length > 0 ? list : null)
const evidence = ({ type, payload, system }: StoredEvent) => ({ type, payload: JSON.parse(payload), system })
const placed = (event: StoredEvent) => ({ seq: event.seq, isLate: event.lateMs !== null })
const evidenceOf = ({ decidedCount }: StoredClaim) =>
  decidedCount === null ? evidence : (event: StoredEvent) => ({ ...evidence(event), ...placed(event) })

const claimRow = (claim: StoredClaim): Row => ({
  id: claim.id,
  user_id: claim.userId,
  customer_id: claim.userId,
  candidate_alias: claim.alias,
  reference: null,
  customer_external_id: claim.alias && 'acme',
  contract: JSON.stringify(claim.contract),
  status: claim.status,
  scheduled_outcome: claim.outcome,
  status_since: claim.since,
  due_at: claim.dueAt,
  event_count: claim.eventCount,
  log_bytes: claim.logBytes,
  review_start: claim.reviewStart,
  schema_id: null,
  schema_version: null,
  test_clock_id: claim.testClockId,
  created_at: claim.createdAt,
})

/** Each once, also if it is named twice. */
export const claimsOf = (store: Store, ids: unknown) =>
  [...new Set(words(ids))].flatMap((id) => store.claims.get(id) ?? [])

const readClaimsToDecide: Handler = (store, _backend, { values: [ids, named, share, isWhole] }) =>
  claimsOf(store, ids).map((claim) => {
    const row = claimRow(claim)
    const contract = row.contract as string
    const bytes = Buffer.byteLength(contract)
    const isRead =
      isShort(claim) &&
      estimatedBytes(claim) <= 4 * Number(share) &&
      (isWhole === true || claim.digest === null)
    const log = isRead ? claim.log : []
    const found = isShort(claim) ? [] : claim.log.filter(({ id }) => words(named).includes(id))
    return {
      ...row,
      contract: isWhole || bytes <= Math.min(1024, Number(share)) ? contract : null,
      contract_bytes: bytes,
      hash: hashOf(contract),
      is_read: isRead,
      log_digest: claim.digest,
      last_at: latest([
        claim.since,
        claim.lastEventAt ?? claim.since,
        ...log.map(({ createdAt }) => createdAt),
      ]),
      ids: orNull((isRead ? log : found).map(({ id }) => id)),
      decisive: orNull(log.filter(isDecisive(claim)).map(evidenceOf(claim))),
    }
  })

const readLongLog: Handler = (store, _backend, { values: [id] }) =>
  claimsOf(store, [id])
    .filter(
      ({ status, decidedCount }) => status === 'OPEN' || (status === 'PENDING' && decidedCount !== null),
    )
    .map((claim) => ({
      ...claimRow(claim),
      last_at: latest([claim.since, ...claim.log.map(({ createdAt }) => createdAt)]),
      ids: orNull(claim.log.map(({ id }) => id)),
      decisive_sizes: orNull(
        claim.log
          .filter((event) => isDecisive(claim)(event) || event.system)
          .map((event) => ({
            ...placed(event),
            system: event.system,
            bytes: Buffer.byteLength(event.payload),
          })),
      ),
    }))

const readEvidence: Handler = (store, _backend, { values: [id, seqs] }) =>
  claimsOf(store, [id]).flatMap(({ log }) =>
    log.filter(({ seq }) => (seqs as number[]).includes(seq)).map(evidence),
  )

const readEvents: Handler = (store, _backend, { values: [claimIds, ids, sizes] }) =>
  (claimIds as string[]).flatMap((claimId, i) =>
    claimsOf(store, [claimId]).flatMap(({ log }) =>
      log
        .filter(({ id }) => id === (ids as string[])[i])
        .map(({ id, type, system, createdAt, payload, lateMs }) => ({
          claim_id: claimId,
          id,
          type,
          system,
          created_at: createdAt,
          late_ms: lateMs === null ? null : `${lateMs}`,
          payload: Buffer.byteLength(payload) === (sizes as number[])[i] ? payload : null,
        })),
    ),
  )

const appendEvents: Handler = (store, backend, { statement, values, at: now }) => {
  const isLive = statement === 'append_events'
  const claims = values.slice(0, isLive ? 9 : 10).map(arrayOf) as string[][]
  const [ids, seen, added, bytes, digests, statuses, outcomes, windows, lasts, clocksOf] = claims
  const [claimIds = [], places = [], names = [], types = [], payloads = []] = values
    .slice(claims.length, claims.length + 5)
    .map(words)
  const seqs = places.map(Number)
  const [userId, clockIds] = values.slice(claims.length + 5) as [string?, string?]
  const clocks = new Map<string | null, Date>()
  if (userId === undefined) clocks.set(null, now)
  else for (const [id, time] of freeClocks(store, backend, userId, words(clockIds))) clocks.set(id, time)
  const decided = (ids as string[]).flatMap((id, i) => {
    const clock = clocks.get(userId === undefined ? null : (clocksOf?.[i] as string))
    return clock ? { id, i, clock, at: latest([clock, new Date(Number(lasts?.[i]))]) } : []
  })
  store.lockClaims(
    backend,
    decided.map(({ id }) => id),
  )
  const fresh = decided.filter(({ id, i }) => {
    const claim = store.claims.get(id)
    return claim?.status === 'OPEN' && claim.eventCount === Number(seen?.[i])
  })
  for (const { id, i, at } of fresh) {
    const claim = store.claims.get(id) as StoredClaim
    const log = claimIds.flatMap((of, n) =>
      of === id ? newEvent(seqs[n], names[n], types[n], payloads[n], at) : [],
    )
    store.refuse(log.map(({ type }) => type))
    backend.change(() => {
      claim.log.push(...log)
      claim.eventCount += Number(added?.[i])
      claim.logBytes += Number(bytes?.[i])
      const [status, digest] = [statuses?.[i] ?? null, digests?.[i]]
      claim.digest = digest ? Buffer.from(digest, 'hex') : null
      claim.lastEventAt = status === null ? at : null
      if (status === null) return
      const dueAt = new Date(at.getTime() + Number(windows?.[i]))
      Object.assign(claim, { status, outcome: outcomes?.[i], since: at, dueAt })
    })
  }
  const later = decided.filter(({ clock, at }) => at > clock).map(({ id, at }) => [id, at.getTime()])
  const stale = decided.filter((one) => !fresh.includes(one)).map(({ id }) => id)
  return [...clocks].map(([clock_id, now]) => ({
    clock_id,
    now,
    stale: orNull(stale),
    later: later.length > 0 ? Object.fromEntries(later) : null,
  }))
}

const appendExtendedEvents: Handler = (store, backend, { values }) => {
  const [ids = [], seenStatuses, seen, counts, bytes, statuses, outcomes, sinces, dues, starts, , , , ats] =
    values.slice(0, 14).map(arrayOf) as string[][]
  const [claimIds = [], seqs, names, types, payloads, , times, lates] = values
    .slice(14, 22)
    .map(arrayOf) as string[][]
  store.lockClaims(backend, ids)
  const fresh = [...ids.entries()].filter(([i, id]) => {
    const claim = store.claims.get(id)
    return claim?.status === seenStatuses?.[i] && claim?.eventCount === Number(seen?.[i])
  })
  const timeOrNull = (time: string | undefined) => (time ? new Date(time) : null)
  for (const [i, id] of fresh) {
    const claim = store.claims.get(id) as StoredClaim
    const log = [...claimIds.entries()]
      .filter(([, of]) => of === id)
      .map(([n]) => ({
        ...newEvent(Number(seqs?.[n]), names?.[n], types?.[n], payloads?.[n], new Date(times?.[n] as string)),
        lateMs: lates?.[n] ? Number(lates[n]) : null,
      }))
    store.refuse(log.map(({ type }) => type))
    backend.change(() => {
      const isSame = claim.status === statuses?.[i]
      claim.log.push(...log)
      Object.assign(claim, {
        eventCount: Number(counts?.[i]),
        decidedCount: Number(counts?.[i]),
        logBytes: Number(bytes?.[i]),
        status: statuses?.[i],
        outcome: outcomes?.[i] ?? null,
        since: timeOrNull(sinces?.[i]),
        dueAt: timeOrNull(dues?.[i]),
        reviewStart: starts?.[i] ? Number(starts[i]) : null,
        lastEventAt: isSame ? timeOrNull(ats?.[i]) : null,
      })
    })
  }
  return fresh.map(([, id]) => ({ id }))
}

/** No account gets notifications of recorded events. */
const readLiveClock: Handler = (_store, _backend, { at }) => [{ id: null, now: at, subscribers: [] }]
const lockTestClocks: Handler = (store, backend, { values: [, userId, ids] }) =>
  freeClocks(store, backend, userId as string, words(ids)).map(([id, now]) => ({ id, now, subscribers: [] }))

const newEvent = (seq = 0, id = '', type = '', payload = '', createdAt = new Date(0)): StoredEvent => ({
  seq,
  id,
  type,
  payload,
  system: false,
  createdAt,
  lateMs: null,
})

/** Those that nobody holds, held in common until the transaction ends. */
const freeClocks = (store: Store, backend: Parameters<Handler>[1], userId: string, ids: readonly string[]) =>
  ids.flatMap((id): [string, Date][] => {
    const clock = store.clocks.get(id)
    const isFree = clock?.userId === userId && store.tryLock(backend, `clock ${id}`, true)
    return isFree ? [[id, clock.frozenTime]] : []
  })

const findFreeTestClocks: Handler = (store, backend, { values: [userIds, ids] }) => {
  const users = words(userIds)
  return words(ids)
    .filter((id, i) => {
      const userId = users[i] as string
      return store.clocks.get(id)?.userId !== userId || freeClocks(store, backend, userId, [id]).length > 0
    })
    .map((id) => ({ id }))
}

/** Nothing is archived there. */
const findArchivedClaims: Handler = () => []

export const SUBMISSION_HANDLERS = {
  read_claims_to_decide: readClaimsToDecide,
  read_long_log: readLongLog,
  read_evidence: readEvidence,
  read_events: readEvents,
  find_archived_claims: findArchivedClaims,
  append_events: appendEvents,
  append_events_on_test_clocks: appendEvents,
  read_live_clock: readLiveClock,
  hold_test_clocks: lockTestClocks,
  append_extended_events: appendExtendedEvents,
  find_free_test_clocks: findFreeTestClocks,
}
