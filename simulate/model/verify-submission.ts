import type { Submission, Verdict } from './claim-history.ts'
import { MAX_EVENTS, RESERVED_PLACES } from './claim-model.ts'
import { acceptsEvents, latenessOf, needsEventIds, type State } from './contract.ts'
import { assert } from './finding.ts'
import { canonical, same } from './json.ts'
import { isContentOf, type KnownLog, type LogRange } from './known-log.ts'
import type { LogItem } from './replay.ts'

type Acknowledged = Extract<Verdict, { kind: 'recorded' | 'replayed' }>

/** Whether the recording time is possible for these times of the request and the response. */
export type RecordedWithin = (sentAt: number, answeredAt: number, at: number) => boolean

/**
 * Compares the response to a submission with the log. Returns the lengths of the log at which the response is true.
 * Null if the response shows nothing, or if it is the recorded submission itself.
 */
export function verifySubmission(
  known: KnownLog,
  submission: Submission,
  recordedWithin: RecordedWithin,
): LogRange | null {
  const { verdict } = submission
  switch (verdict.kind) {
    case 'recorded':
    case 'replayed':
      return verifyAcknowledged(known, submission, verdict, recordedWithin)
    case 'conflict':
      return verifyConflict(known, submission)
    case 'not open':
      assertAbsent(known, submission)
      return known.rangeWhere(
        (state) => state.status === verdict.status && !acceptsEvents(known.contract, state),
      )
    case 'full':
      return verifyLogFull(known, submission)
    case 'id required':
      assertAbsent(known, submission)
      assert(
        needsEventIds(known.contract) && submission.id === null,
        () => 'an event was refused for a missing id',
        () => submission,
      )
      return null
    case 'gone':
    case 'refused':
    case 'unknown':
      return null
  }
}

function verifyAcknowledged(
  known: KnownLog,
  submission: Submission,
  { kind, event, state, lateBy }: Acknowledged,
  recordedWithin: RecordedWithin,
): LogRange | null {
  const { sentAt, answeredAt } = submission
  const id = known.idOf(submission) as string
  const [place, item] = [known.positionOf(id), known.itemOf(id)]
  const about = () => ({ submission, item })
  assert(
    place !== undefined && item !== undefined,
    () => `${id} was acknowledged and is not in the log`,
    about,
  )
  assert(isContentOf(item, submission), () => `${id} was acknowledged, and the log has other content`, about)
  assert(
    submission.id !== null || !needsEventIds(known.contract),
    () => `${id} was recorded without an id of the client`,
    about,
  )
  if (event) {
    assert(same(event, item), () => `${id} is not in the log as it was answered`, about)
    assertLateness(known.states[place - 1] as State, item, lateBy)
  }
  if (kind === 'replayed') return verifyReplayed(known, place, state)

  const at = Date.parse(item.created_at)
  const isWithin = recordedWithin(sentAt, answeredAt, at)
  assert(
    isWithin,
    () => `${id} was recorded at ${item.created_at}, not between its request and its answer`,
    about,
  )
  const after = { ...known.states[place] }
  const message = () =>
    `the response to ${id} shows ${canonical({ ...state })}, the log says ${canonical(after)}`
  if (state) assert(same({ ...state }, after), message, about)
  return null
}

/** §2.1a rule 3: the response says by how many seconds the event was late. */
function assertLateness(before: State, { id, created_at }: LogItem, lateBy: number | null): void {
  const ms = latenessOf(before, Date.parse(created_at))
  assert(
    lateBy === (ms === null ? null : ms / 1000),
    () => `${id} was late by ${ms} ms, and the answer says ${lateBy} s`,
  )
}

/** §2.1a rule 6: the log is full earlier if places are reserved. */
function verifyLogFull(known: KnownLog, submission: Submission): LogRange {
  assertAbsent(known, submission)
  const { review, clock } = known.contract
  const from = review?.reversal_condition || clock?.resume_on ? MAX_EVENTS - RESERVED_PLACES : MAX_EVENTS
  assert(known.items.length >= from, () => 'an event was refused, but the log is not full')
  return [from, known.items.length]
}

/** §4.3: the current state. */
function verifyReplayed(known: KnownLog, place: number, state: Acknowledged['state']): LogRange {
  if (!state) return [place, Infinity]
  const [from, until] = known.rangeOf(state)
  assert(
    until >= place,
    () => `a repeat was answered with a state from before the recording: ${canonical({ ...state })}`,
  )
  return [Math.max(from, place), until]
}

function verifyConflict(known: KnownLog, submission: Submission): LogRange {
  const id = submission.id as string
  const [place, item] = [known.positionOf(id), known.itemOf(id)]
  const about = () => ({ submission, item })
  assert(
    place !== undefined && item !== undefined,
    () => `${id} was refused as a conflict, and is not in the log`,
    about,
  )
  assert(!isContentOf(item, submission), () => `${id} was refused as a conflict with its own content`, about)
  return [place, Infinity]
}

function assertAbsent(known: KnownLog, submission: Submission): void {
  const id = known.idOf(submission)
  const exists = id !== null && known.positionOf(id) !== undefined
  assert(
    !exists,
    () => `${id} was refusedfor a permanent reason, but is in the log`,
    () => submission,
  )
}
