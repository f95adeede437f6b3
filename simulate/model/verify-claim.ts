import type { ClaimHistory, ClaimRead, Submission } from './claim-history.ts'
import { assert, Finding } from './finding.ts'
import { formatHistory } from './format-history.ts'
import { canonical } from './json.ts'
import { isContentOf, KnownLog, type LogRange } from './known-log.ts'
import { findDisorder, type Observation } from './real-time-order.ts'
import { type RecordedWithin, verifySubmission } from './verify-submission.ts'

/** When a check or a recording was possible, by the clock of the clients. */
export interface TimeBounds {
  /** Earliest and latest time of the check that is recorded with this time. */
  checkTime(at: number): { from: number; until: number }
  recordedWithin: RecordedWithin
}

/**
 * Compares all responses with the claim's whole log. The log must be allowed, the states must follow from it, and it must
 * contain each acknowledged event once and no refused event. The responses must be linearizable.
 */
export function verifyClaim(history: ClaimHistory, timeBounds: TimeBounds): void {
  try {
    const known = new KnownLog(history)
    assertInOrder([
      ...observationsOfSubmissions(known, history.submissions, timeBounds.recordedWithin),
      ...observationsOfChecks(known, timeBounds),
      ...history.reads.map((claimRead) => observationOf(claimRead, rangeSeen(known, claimRead))),
    ])
    verifyBatches(known, history.submissions)
  } catch (error) {
    if (!(error instanceof Finding)) throw error
    throw new Finding(`${history.name}: ${error.message}`, {
      about: error.about,
      history: formatHistory(history),
    })
  }
}

function observationsOfSubmissions(
  known: KnownLog,
  submissions: readonly Submission[],
  recordedWithin: RecordedWithin,
): Observation[] {
  const byId = Map.groupBy(submissions, (submission) => known.idOf(submission))
  for (const item of known.items) {
    assert(
      item.system || byId.has(item.id),
      () => `the log holds ${item.id}, which no client sent`,
      () => item,
    )
  }
  const responses = submissions.flatMap((submission) => {
    const range = verifySubmission(known, submission, recordedWithin)
    const source = `${submission.source} ${submission.id}, which was ${submission.verdict.kind}`
    return range ? observationOf({ ...submission, source }, range) : []
  })
  const records = [...byId].flatMap(([id, submissions]) =>
    id === null ? [] : observationOfRecord(known, id, submissions),
  )
  return [...responses, ...records]
}

/** The time at which an event was recorded, limited by the submissions that may have sent it. */
function observationOfRecord(known: KnownLog, id: string, submissions: readonly Submission[]): Observation[] {
  const [position, item] = [known.positionOf(id), known.itemOf(id)]
  if (position === undefined || item === undefined) return []
  const candidates = submissions.filter(
    (submission) =>
      ['recorded', 'replayed', 'unknown'].includes(submission.verdict.kind) && isContentOf(item, submission),
  )
  const recorders = candidates.filter(({ verdict }) => verdict.kind === 'recorded')
  assert(
    recorders.length <= 1,
    () => `${id} was recorded ${recorders.length} times, according to the responses`,
    () => recorders,
  )
  assert(
    candidates.length > 0,
    () => `the log holds ${id}, which was refused`,
    () => ({ item, submissions }),
  )
  const [writer] = recorders
  return [
    {
      what: `${id} was recorded as item ${position}`,
      sentAt: writer?.sentAt ?? Math.min(...candidates.map(({ sentAt }) => sentAt)),
      answeredAt: writer?.answeredAt ?? Infinity,
      atMostBefore: position - 1,
      atLeastAfter: position,
    },
  ]
}

function observationsOfChecks(known: KnownLog, { checkTime }: TimeBounds): Observation[] {
  return known.items.flatMap(({ system, created_at }, i) => {
    if (!system) return []
    const { from, until } = checkTime(Date.parse(created_at))
    const what = `the check of ${created_at} added item ${i + 1}`
    return { what, sentAt: from, answeredAt: until, atMostBefore: i, atLeastAfter: i + 1 }
  })
}

function rangeSeen(known: KnownLog, { source, state, items, isWithoutClock = false }: ClaimRead): LogRange {
  const [from, until] = known.rangeOf(state, isWithoutClock)
  if (items === null) return [from, until]
  const message = () => `${source} shows ${canonical({ ...state })} with ${items} items of the log`
  assert(items >= from && items <= until, message)
  return [items, items]
}

function observationOf(
  { source, sentAt, answeredAt }: Pick<ClaimRead, 'source' | 'sentAt' | 'answeredAt'>,
  range: LogRange,
): Observation {
  return { what: source, sentAt, answeredAt, atMostBefore: range[1], atLeastAfter: range[0] }
}

/** Submissions of one batch to one claim are recorded in the order of the list. */
function verifyBatches(known: KnownLog, submissions: readonly Submission[]): void {
  const recorded = submissions.filter(
    ({ batch, verdict }) => batch !== undefined && verdict.kind === 'recorded',
  )
  for (const [, batch] of Map.groupBy(recorded, ({ batch }) => batch)) {
    const positions = batch.map((submission) => known.positionOf(known.idOf(submission) ?? '') ?? 0)
    const isAscending = positions.every((position, i) => i === 0 || position > (positions[i - 1] as number))
    assert(
      isAscending,
      () => `a batch was recorded in another order: ${positions.join()}`,
      () => batch,
    )
  }
}

function assertInOrder(observations: readonly Observation[]): void {
  const disorder = findDisorder(observations)
  if (!disorder) return
  const { earlier, later } = disorder
  const message = `${earlier.what}: at least ${earlier.atLeastAfter} items; sent after its response, ${later.what}: at most ${later.atMostBefore}`
  throw new Finding(message, disorder)
}
