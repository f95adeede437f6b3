import { demand, Finding } from './finding.ts'
import { historyOf } from './history.ts'
import { canonical } from './json.ts'
import { judgeSubmission, type RecordedWithin } from './judge-submission.ts'
import { isContentOf, KnownLog, type Places } from './known-log.ts'
import { inOrder, type Sighting } from './order.ts'
import type { Look, Story, Submission } from './story.ts'

/** Determines when things can have happened, by the clock of the clients. */
export interface Witnesses {
  /** Earliest and latest time of the check that is recorded with this time. */
  checkMoment(at: number): { from: number; until: number }
  recordedWithin: RecordedWithin
}

/**
 * Compares all responses and observations with the claim's whole log: the log is allowed, the state follows from it,
 * it contains each acknowledged event once and no refused one, each response was true at some moment between request
 * and response, and all of that in one order that agrees with real time.
 */
export function judgeClaim(story: Story, witnesses: Witnesses): void {
  try {
    const known = new KnownLog(story)
    demandInOrder([
      ...sightingsOfSubmissions(known, story.submissions, witnesses.recordedWithin),
      ...sightingsOfChecks(known, witnesses),
      ...story.looks.map((look) => sightingOf(look, placesSeen(known, look))),
    ])
    judgeBatches(known, story.submissions)
  } catch (error) {
    if (!(error instanceof Finding)) throw error
    throw new Finding(`${story.name}: ${error.message}`, { about: error.about, history: historyOf(story) })
  }
}

function sightingsOfSubmissions(
  known: KnownLog,
  submissions: readonly Submission[],
  recordedWithin: RecordedWithin,
): Sighting[] {
  const byId = Map.groupBy(submissions, (submission) => known.idOf(submission))
  for (const item of known.items) {
    demand(
      item.system || byId.has(item.id),
      () => `the log holds ${item.id}, which nobody sent`,
      () => item,
    )
  }
  const answers = submissions.flatMap((submission) => {
    const places = judgeSubmission(known, submission, recordedWithin)
    const how = `${submission.how} ${submission.id}, which was ${submission.verdict.is}`
    return places ? sightingOf({ ...submission, how }, places) : []
  })
  const records = [...byId].flatMap(([id, submissions]) =>
    id === null ? [] : sightingOfRecord(known, id, submissions),
  )
  return [...answers, ...records]
}

/** The time at which an event was recorded, limited by the submissions that may have sent it. */
function sightingOfRecord(known: KnownLog, id: string, submissions: readonly Submission[]): Sighting[] {
  const [place, item] = [known.placeOf(id), known.itemOf(id)]
  if (place === undefined || item === undefined) return []
  const able = submissions.filter(
    (submission) =>
      ['recorded', 'replayed', 'unknown'].includes(submission.verdict.is) && isContentOf(item, submission),
  )
  const surely = able.filter(({ verdict }) => verdict.is === 'recorded')
  demand(
    surely.length <= 1,
    () => `${id} was recorded ${surely.length} times, by its answers`,
    () => surely,
  )
  demand(
    able.length > 0,
    () => `the log holds ${id}, which was refused`,
    () => ({ item, submissions }),
  )
  const [writer] = surely
  return [
    {
      what: `${id} was recorded as item ${place}`,
      sentAt: writer?.sentAt ?? Math.min(...able.map(({ sentAt }) => sentAt)),
      answeredAt: writer?.answeredAt ?? Infinity,
      atMostBefore: place - 1,
      atLeastAfter: place,
    },
  ]
}

function sightingsOfChecks(known: KnownLog, { checkMoment }: Witnesses): Sighting[] {
  return known.items.flatMap(({ system, created_at }, i) => {
    if (!system) return []
    const { from, until } = checkMoment(Date.parse(created_at))
    const what = `the check of ${created_at} added item ${i + 1}`
    return { what, sentAt: from, answeredAt: until, atMostBefore: i, atLeastAfter: i + 1 }
  })
}

function placesSeen(known: KnownLog, { how, state, items, isWithoutClock = false }: Look): Places {
  const [from, until] = known.placesOf(state, isWithoutClock)
  if (items === null) return [from, until]
  const said = () => `${how} shows ${canonical({ ...state })} with ${items} items of the log`
  demand(items >= from && items <= until, said)
  return [items, items]
}

function sightingOf(
  { how, sentAt, answeredAt }: Pick<Look, 'how' | 'sentAt' | 'answeredAt'>,
  places: Places,
): Sighting {
  return { what: how, sentAt, answeredAt, atMostBefore: places[1], atLeastAfter: places[0] }
}

/** Submissions of one batch to one claim are recorded in the order of the list. */
function judgeBatches(known: KnownLog, submissions: readonly Submission[]): void {
  const recorded = submissions.filter(
    ({ batch, verdict }) => batch !== undefined && verdict.is === 'recorded',
  )
  for (const [, batch] of Map.groupBy(recorded, ({ batch }) => batch)) {
    const places = batch.map((submission) => known.placeOf(known.idOf(submission) ?? '') ?? 0)
    const isAscending = places.every((place, i) => i === 0 || place > (places[i - 1] as number))
    demand(
      isAscending,
      () => `a batch was taken in another order: ${places.join()}`,
      () => batch,
    )
  }
}

function demandInOrder(sightings: readonly Sighting[]): void {
  const disorder = inOrder(sightings)
  if (!disorder) return
  const { earlier, later } = disorder
  const message = `${earlier.what}: at least ${earlier.atLeastAfter} items; sent after that was answered, ${later.what}: at most ${later.atMostBefore}`
  throw new Finding(message, disorder)
}
