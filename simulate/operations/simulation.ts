import { type Client, parse } from '../clients/client.ts'
import type { Account } from '../clients/records.ts'
import { stateOf } from '../clients/world.ts'
import { isSatisfied } from '../model/condition.ts'
import type { Contract } from '../model/contract.ts'
import { assert } from '../model/finding.ts'
import { type JsonObject, same } from '../model/json.ts'
import { simulateClaim, type TimedEvent, withIds } from '../model/simulate-claim.ts'
import type { Random } from '../random.ts'
import { calendarOf, drawCalendarOf, hoursOf } from './calendars.ts'
import { drawContent, drawContract, drawRare } from './draw.ts'

const START = Date.parse('2031-12-31T23:57:00.000Z')
const MAX_EVENTS = 40
/** Higher than for live claims: many events are late here, and one response shows the effect of each. */
const EXTENDED_SHARE = 0.6
/** At and next to whole minutes, like windows. */
const STEPS = [0, 0, 1, 999, 30_000, 59_999, 60_000, 60_001, 90_000, 3_600_000, 86_400_000]

/** §4.7: the result of a contract with events at given times, exact to the millisecond. */
export async function simulateContract(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  world.count('simulate contract')
  const drawCalendar = drawCalendarOf(random, account, 1)
  const contract = drawContract(random, true, { extendedShare: EXTENDED_SHARE, drawCalendar })
  const events = Array.from({ length: random.int(0, MAX_EVENTS) }, () => drawEvent(random))
  const isOpenedBefore = events.length === 0 || random.chance(0.7)
  const openedAt = isOpenedBefore ? START : Math.min(...events.map(({ at }) => at))
  const until = random.chance(0.5) ? null : openedAt + random.int(0, 3) * random.pick(STEPS)
  const reply = await client.send(account, {
    method: 'POST',
    path: '/v1/simulations',
    body: JSON.stringify({
      contract,
      ...(isOpenedBefore ? { opened_at: iso(openedAt) } : {}),
      events: events.map(({ at, id, type, payload }) => ({
        ...payload,
        at: iso(at),
        type,
        ...(id === null ? {} : { id }),
      })),
      ...(until === null ? {} : { until: iso(until) }),
    }),
  })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const about = () => ({ contract, openedAt, events, until, reply })
  if (reply.status === 404 && calendarOf(account, contract)?.isDeleted) return
  assert(reply.status === 200, () => `a simulation was answered ${reply.status}`, about)
  const shown = parse(reply.text)
  const { timeline, final } = simulateClaim(
    contract,
    openedAt,
    withIds(events),
    until,
    hoursOf(account, contract),
  )
  const isSame =
    shown.opened_at === iso(openedAt) &&
    same(shown.timeline, timeline) &&
    same({ ...stateOf(shown.final as JsonObject) }, { ...final })
  assert(
    isSame,
    () => 'a simulation differs from the model',
    () => ({ contract, timeline, final, shown }),
  )
  assertTrueHints(contract, timeline, shown.hints as unknown as Hint[])
}

type Hint = { code: string; path: string }

/** §2.13 rule 1: the hints are true for this simulation. */
function assertTrueHints(contract: Contract, timeline: readonly JsonObject[], hints: readonly Hint[]): void {
  const isTold = (code: string, at = '') =>
    hints.some((hint) => hint.code === code && (at === '' || hint.path === at))
  const moves = timeline.filter(({ kind }) => kind === 'transition')
  const isSettled = moves.some(({ because }) => Object.hasOwn(because as JsonObject, 'event_id'))
  const hasEffect = (effect: string) => timeline.some((entry) => entry.effect === effect)
  const isTrueAtFirst = isSatisfied(contract.fulfillment_condition, [])
  const isExpected =
    isTold('condition_true_from_start') === isTrueAtFirst &&
    !(isTold('condition_impossible', 'fulfillment_condition') && isSettled) &&
    !(isTold('condition_impossible', 'review.reversal_condition') && hasEffect('reversed')) &&
    !(isTold('condition_impossible', 'review.restart_on') && hasEffect('restarted')) &&
    !(isTold('always_confirmed') && moves.some(({ to }) => to === 'FAILED'))
  assert(
    isExpected,
    () => 'a simulation shows wrong hints',
    () => ({ contract, timeline, hints }),
  )
}

const iso = (at: number) => new Date(at).toISOString()

/** Few ids, so that events repeat and conflict. Some look like ids that the service generates. */
function drawEvent(random: Random): Omit<TimedEvent, 'id'> & { id: string | null } {
  const at = START + random.int(0, 2) * random.pick(STEPS) + random.pick(STEPS)
  if (random.chance(0.3)) return { at, id: null, ...drawContent(random) }
  if (random.chance(0.2)) return { at, id: `rare-${random.int(0, 3)}`, ...drawRare(random) }
  const id = random.chance(0.1) ? `event-${random.int(1, 9)}` : `shared-${random.int(0, 20)}`
  return { at, id, ...drawContent(random.fork(`${id}/${random.int(0, 1)}`)) }
}
