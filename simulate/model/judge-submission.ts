import { acceptsEvents, latenessOf, needsEventIds, type State } from './contract.ts'
import { KEPT_PLACES, MOST_EVENTS } from './course.ts'
import { demand } from './finding.ts'
import { canonical, same } from './json.ts'
import { isContentOf, type KnownLog, type Places } from './known-log.ts'
import type { LogItem } from './replay.ts'
import type { Submission, Verdict } from './story.ts'

type Acknowledged = Extract<Verdict, { is: 'recorded' | 'replayed' }>

/** Whether the recording time agrees with the times of the request and the response. */
export type RecordedWithin = (sentAt: number, answeredAt: number, at: number) => boolean

/**
 * Compares the response to a submission with the log. Returns the lengths of the log at which the response is true.
 * Null if the response shows nothing, or if it is the recorded submission itself.
 */
export function judgeSubmission(
  known: KnownLog,
  submission: Submission,
  recordedWithin: RecordedWithin,
): Places | null {
  const { verdict } = submission
  switch (verdict.is) {
    case 'recorded':
    case 'replayed':
      return judgeAcknowledged(known, submission, verdict, recordedWithin)
    case 'conflict':
      return judgeConflict(known, submission)
    case 'not open':
      demandAbsent(known, submission)
      return known.placesWhere(
        (state) => state.status === verdict.status && !acceptsEvents(known.contract, state),
      )
    case 'full':
      return judgeFull(known, submission)
    case 'id required':
      demandAbsent(known, submission)
      demand(
        needsEventIds(known.contract) && submission.id === null,
        () => 'an event was refused for want of an id',
        () => submission,
      )
      return null
    case 'gone':
    case 'refused':
    case 'unknown':
      return null
  }
}

function judgeAcknowledged(
  known: KnownLog,
  submission: Submission,
  { is, event, state, lateBy }: Acknowledged,
  recordedWithin: RecordedWithin,
): Places | null {
  const { sentAt, answeredAt } = submission
  const id = known.idOf(submission) as string
  const [place, item] = [known.placeOf(id), known.itemOf(id)]
  const about = () => ({ submission, item })
  demand(
    place !== undefined && item !== undefined,
    () => `${id} was acknowledged and is not in the log`,
    about,
  )
  demand(isContentOf(item, submission), () => `${id} was acknowledged, and the log has other content`, about)
  demand(
    submission.id !== null || !needsEventIds(known.contract),
    () => `${id} was recorded without an id of its caller`,
    about,
  )
  if (event) {
    demand(same(event, item), () => `${id} is not in the log as it was answered`, about)
    demandLateness(known.states[place - 1] as State, item, lateBy)
  }
  if (is === 'replayed') return judgeReplayed(known, place, state)

  const at = Date.parse(item.created_at)
  const isWithin = recordedWithin(sentAt, answeredAt, at)
  demand(
    isWithin,
    () => `${id} was recorded at ${item.created_at}, not between its request and its answer`,
    about,
  )
  const after = { ...known.states[place] }
  const said = () => `the answer to ${id} shows ${canonical({ ...state })}, the log says ${canonical(after)}`
  if (state) demand(same({ ...state }, after), said, about)
  return null
}

/** §2.1a rule 3: the response says by how many seconds the event was late. */
function demandLateness(before: State, { id, created_at }: LogItem, lateBy: number | null): void {
  const ms = latenessOf(before, Date.parse(created_at))
  demand(
    lateBy === (ms === null ? null : ms / 1000),
    () => `${id} was late by ${ms} ms, and the answer says ${lateBy} s`,
  )
}

/** §2.1a rule 6: where an event may come that reverses or continues the clock, others find the log full earlier. */
function judgeFull(known: KnownLog, submission: Submission): Places {
  demandAbsent(known, submission)
  const { review, clock } = known.contract
  const from = review?.reversal_condition || clock?.resume_on ? MOST_EVENTS - KEPT_PLACES : MOST_EVENTS
  demand(known.items.length >= from, () => 'an event was refused, but the log is not full')
  return [from, known.items.length]
}

/** §4.3: the current state. */
function judgeReplayed(known: KnownLog, place: number, state: Acknowledged['state']): Places {
  if (!state) return [place, Infinity]
  const [from, until] = known.placesOf(state)
  demand(
    until >= place,
    () => `an event was repeated with a state of before it was recorded: ${canonical({ ...state })}`,
  )
  return [Math.max(from, place), until]
}

function judgeConflict(known: KnownLog, submission: Submission): Places {
  const id = submission.id as string
  const [place, item] = [known.placeOf(id), known.itemOf(id)]
  const about = () => ({ submission, item })
  demand(
    place !== undefined && item !== undefined,
    () => `${id} was refused as a conflict, and is not in the log`,
    about,
  )
  demand(!isContentOf(item, submission), () => `${id} was refused as a conflict with its own content`, about)
  return [place, Infinity]
}

function demandAbsent(known: KnownLog, submission: Submission): void {
  const id = known.idOf(submission)
  const isThere = id !== null && known.placeOf(id) !== undefined
  demand(
    !isThere,
    () => `${id} was refused, for a reason that lasts, and is in the log`,
    () => submission,
  )
}
