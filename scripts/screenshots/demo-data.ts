import { setTimeout as pause } from 'node:timers/promises'
import type { Contract } from '../../src/core/contracts/contract.ts'

export type Send = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ id: string; [field: string]: unknown }>

const HOUR = 3_600
const DAY = 24 * HOUR

const DELIVERY: Contract = {
  price: 120,
  activity_window: 3 * DAY,
  review_window: DAY,
  timeout_outcome: 'fail',
  fulfillment_condition: {
    op: 'AND',
    conditions: [
      { event: 'delivered', match: { country: 'DE' } },
      { op: 'OR', conditions: [{ event: 'signed' }, { event: 'photo_taken', field: 'quality', gte: 0.8 }] },
      { op: 'NOT', condition: { event: 'complaint', gte: 3 } },
    ],
  },
}
const SUPPORT: Contract = {
  price: 49.5,
  activity_window: DAY,
  review_window: 2 * HOUR,
  timeout_outcome: 'fail',
  fulfillment_condition: {
    op: 'AND',
    conditions: [{ event: 'ticket_resolved' }, { event: 'satisfaction', gte: 4 }],
  },
}
const WORK = [
  ['09:00', '12:00'],
  ['13:00', '17:00'],
]
const YEAR = new Date().getUTCFullYear()
const HOLIDAYS = [`${YEAR}-12-25`, `${YEAR}-12-26`, `${YEAR + 1}-01-01`, `${YEAR + 1}-05-01`]
const CALENDAR = {
  name: 'Support Berlin',
  time_zone: 'Europe/Berlin',
  weekly: {
    monday: WORK,
    tuesday: WORK,
    wednesday: WORK,
    thursday: WORK,
    friday: [['09:00', '15:00']],
    saturday: [['22:00', '24:00']],
  },
  holidays: HOLIDAYS.slice(0, 2),
  exceptions: { [`${YEAR}-12-24`]: [['09:00', '12:00']], [`${YEAR}-12-31`]: [['09:00', '12:00']] },
}
/** An SLA of eight working hours, stopped while the customer is asked. @param calendar its id */
const slaOf = (calendar: string): Contract => ({
  ...SUPPORT,
  activity_window: 8 * HOUR,
  fulfillment_condition: { event: 'ticket_resolved' },
  clock: {
    calendar: { id: calendar },
    pause_on: { op: 'OR', conditions: [{ event: 'customer_asked' }, { event: 'waiting_for_vendor' }] },
    resume_on: { event: 'customer_answered' },
  },
})
const QUIET: Contract = {
  price: 18.25,
  activity_window: 2 * DAY,
  review_window: 0,
  timeout_outcome: 'confirm',
  fulfillment_condition: { event: 'accepted' },
}

/** Fixed, so that two runs show the same. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * sides)
  }
}

export interface DemoData {
  clock: string
  schema: string
  schemaWithClock: string
  calendar: string
  customer: string
  openClaim: string
  pausedClaim: string
  pendingClaim: string
  finalClaim: string
  candidate: string
}

/** Days of business on a test clock, and some live claims and candidates. */
export async function makeDemoData(send: Send, days = 34): Promise<DemoData> {
  const customers = []
  for (const [external_id, name] of [
    ['acme', 'ACME Inc.'],
    ['northwind', 'Northwind Traders'],
    ['globex', 'Globex GmbH'],
    ['initech', 'Initech'],
    ['umbra-logistics', 'Umbra Logistics SE'],
  ]) {
    customers.push(await send('POST', '/v1/customers', { external_id, name }))
  }
  const schemas = []
  for (const contract of [DELIVERY, SUPPORT, QUIET])
    schemas.push(await send('POST', '/v1/schemas', { contract, reminders: [0.5, 0.9] }))
  await haveHistory(send, schemas[0]?.id ?? '')
  const world = { send, customers: customers as World['customers'], schemas, roll: dice(7) }
  const clock = await liveThrough(world, days)
  const live = await makeLiveClaims(world)
  await send('PATCH', `/v1/customers/${customers[0]?.id}`, { metadata: { region: 'emea', tier: 'gold' } })
  const { id: calendar } = await send('POST', '/v1/calendars', CALENDAR)
  await send('PATCH', `/v1/calendars/${calendar}`, { holidays: HOLIDAYS })
  const sla = await makeSla(world, calendar)
  return { clock, schema: schemas[0]?.id ?? '', calendar, customer: customers[0]?.id ?? '', ...live, ...sla }
}

/** A schema with a clock, and a claim whose clock is stopped. */
async function makeSla({ send, customers }: World, calendar: string) {
  const schema = await send('POST', '/v1/schemas', {
    contract: slaOf(calendar),
    name: 'Support within 8 hours',
  })
  const claim = await send('POST', '/v1/claims', { customer_id: customers[0]?.id, schema_id: schema.id })
  await send('POST', `/v1/claims/${claim.id}/events`, { type: 'customer_asked', id: 'mail-1' })
  return { schemaWithClock: schema.id, pausedClaim: claim.id }
}

/** Versions of the first schema, of which the last is what it began as. */
async function haveHistory(send: Send, id: string): Promise<void> {
  const condition = DELIVERY.fulfillment_condition
  for (const change of [
    { contract: { ...DELIVERY, price: 59, review_window: 6 * 3_600 }, name: 'Delivery to Germany' },
    {
      contract: {
        ...DELIVERY,
        fulfillment_condition: { op: 'OR', conditions: [condition, { event: 'waived' }] },
      },
    },
    { contract: DELIVERY, description: 'For parcels.\nNot for freight.' },
    { name: null, description: null },
  ])
    await send('PATCH', `/v1/schemas/${id}`, change)
}

interface World {
  send: Send
  customers: { id: string; external_id: string }[]
  schemas: { id: string }[]
  roll: (sides: number) => number
}

const pick = <T>({ roll }: World, items: readonly T[]): T => items[roll(items.length)] as T

async function liveThrough(world: World, days: number): Promise<string> {
  const { send } = world
  const start = new Date(Date.now() - days * DAY * 1000)
  start.setUTCHours(9, 0, 0, 0)
  const at = (day: number) => new Date(start.getTime() + day * DAY * 1000).toISOString()
  const clock = await send('POST', '/v1/test_clocks', { name: 'Last month, rehearsed', frozen_time: at(0) })
  for (let day = 1; day <= days; day++) {
    for (let n = 2 + world.roll(5); n > 0; n--) {
      const claim = await send('POST', '/v1/claims', {
        customer_id: pick(world, world.customers).id,
        schema_id: pick(world, world.schemas).id,
        test_clock_id: clock.id,
      })
      await happen(world, `/v1/claims/${claim.id}/events`, world.roll(10) < 7)
    }
    await send('POST', `/v1/test_clocks/${clock.id}/advance`, { frozen_time: at(day) })
  }
  return clock.id
}

const OTHERWISE = [
  { type: 'delivered', country: 'AT' },
  { type: 'ticket_resolved' },
  { type: 'note', text: 'called' },
]
const GOOD = [
  { type: 'delivered', country: 'DE', carrier: 'DHL' },
  { type: 'ticket_resolved', agent: 'lena' },
  { type: 'signed', by: 'M. Roth' },
  { type: 'satisfaction', value: 5 },
  { type: 'accepted' },
]

/** Sends what satisfies any of the contracts, or what does not; what comes late is refused. */
async function happen({ send, roll }: World, path: string, isGood: boolean): Promise<void> {
  for (const event of isGood ? GOOD : OTHERWISE.slice(roll(3))) await send('POST', path, event)
}

async function makeLiveClaims(
  world: World,
): Promise<Pick<DemoData, 'openClaim' | 'pendingClaim' | 'finalClaim' | 'candidate'>> {
  const { send, customers } = world
  const create = (contract: Contract, customer = pick(world, customers)) =>
    send('POST', '/v1/claims', { customer_id: customer.id, contract, reminders: [0.5, 0.9] })
  const submit = (id: string, event: object) => send('POST', `/v1/claims/${id}/events`, event)

  const final = await create({ ...SUPPORT, review_window: 0 })
  await submit(final.id, { type: 'ticket_resolved', agent: 'lena' })
  await submit(final.id, { type: 'satisfaction', value: 5 })
  for (let n = 0; n < 9; n++) {
    const claim = await create(pick(world, [DELIVERY, SUPPORT, { ...QUIET, activity_window: 90 * (n + 2) }]))
    if (n % 3 === 0) for (const event of GOOD) await submit(claim.id, event)
  }
  const pending = await create(SUPPORT)
  await submit(pending.id, { type: 'ticket_resolved', agent: 'omar', id: 'ticket-8812' })
  await submit(pending.id, { type: 'satisfaction', value: 4 })
  const open = await create(DELIVERY)
  await send('PATCH', `/v1/claims/${open.id}`, { metadata: { order: 'A-4711', warehouse: 'HAM-2' } })
  await submit(open.id, { type: 'picked_up', depot: 'HAM-2' })
  await submit(open.id, { type: 'delivered', country: 'DE', carrier: 'DHL', id: 'scan-4711' })
  const candidate = await makeCandidates(world)
  return { openClaim: open.id, pendingClaim: pending.id, finalClaim: final.id, candidate }
}

async function makeCandidates(world: World): Promise<string> {
  const alias = (n: number) => `order-2026-${1040 + n}`
  for (let n = 0; n < 6; n++) {
    await world.send('POST', '/v1/candidates', {
      candidate_alias: alias(n),
      customer_uuid: pick(world, world.customers).external_id,
      schema_id: pick(world, world.schemas).id,
    })
    if (n % 2 === 0) await happen(world, `/v1/candidates/${alias(n)}/events`, n === 4)
  }
  return alias(4)
}

/** Waits for the scheduled check that makes a claim final. */
export async function waitUntilFinal(send: Send, claim: string): Promise<void> {
  for (;;) {
    const { status } = await send('GET', `/v1/claims/${claim}`)
    if (status === 'CONFIRMED' || status === 'FAILED') return
    await pause(1000)
  }
}
