import type { Contract } from '../../../src/core/contracts/contract.ts'
import type { Explanation } from '../api/records.ts'
import { EFFECT_TONE, EFFECT_WORDS, type EventEffect, lateInWords } from '../events/event-effects.ts'

/** What is said of an event in the timeline, besides its transition. */
export interface EventMark {
  text: string
  tone: (typeof EFFECT_TONE)[EventEffect]
}

export type EventMarks = ReadonlyMap<string, readonly EventMark[]>

/** The marks of events by their ids: late, or with an effect on the clock or in review. */
export function eventMarks(
  { review, clock, late_events = [] }: Pick<Explanation, 'review' | 'clock' | 'late_events'>,
  { strict_deadline }: Contract,
): EventMarks {
  const marks = new Map<string, EventMark[]>()
  const add = (id: string, mark: EventMark) => marks.set(id, [...(marks.get(id) ?? []), mark])
  const mark = (effect: EventEffect) => ({
    text: EFFECT_WORDS[effect],
    tone: EFFECT_TONE[effect],
  })
  for (const { resumed_by, paused_by } of clock?.periods ?? []) {
    if (resumed_by !== null) add(resumed_by, mark('resumed'))
    if (paused_by !== null) add(paused_by, mark('paused'))
  }
  if (review?.reversed_by) add(review.reversed_by.event_id, mark('reversed'))
  for (const { event_id } of review?.restarts ?? []) add(event_id, mark('restarted'))
  const ignored = strict_deadline ? ', counts for nothing' : ''
  for (const { event_id, late_by } of late_events)
    add(event_id, { text: `${lateInWords(late_by)}${ignored}`, tone: 'neutral' })
  return marks
}

export const areSameMarks = (before: EventMarks, now: EventMarks, id: string): boolean =>
  before === now || textOf(before, id) === textOf(now, id)

const textOf = (marks: EventMarks, id: string) =>
  marks
    .get(id)
    ?.map(({ text }) => text)
    .join()
