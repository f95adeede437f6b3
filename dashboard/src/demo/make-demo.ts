import type { Contract } from '../../../src/core/contracts/contract.ts'
import { type Json, type JsonObject, jsonEquals } from '../../../src/kernel/json.ts'
import { get } from '../api/client.ts'
import type { ClaimKind, ClaimSchema, Customer, Page, TestClock } from '../api/records.ts'
import { createSchema } from '../claim-schemas/schemas-api.ts'
import { type AnyClaim, createClaim, nameOf, submitEvent } from '../claims/claims-api.ts'
import { createCustomer } from '../customers/customers-api.ts'
import { advanceTestClock, createTestClock, deleteTestClock } from '../test-clocks/test-clocks-api.ts'

/** The name of the demo's test clock, by which existing demo data is found. */
const NAME = 'Demo: a week of deliveries'
const day = (n: number, hour = 9) => new Date(Date.UTC(2026, 0, 5 + n, hour)).toISOString()
/** The time of the clock when the demo data is complete. */
const END = day(6)

const CONTRACT: Contract = {
  price: 120,
  activity_window: 3 * 86_400,
  review_window: 86_400,
  timeout_outcome: 'fail',
  fulfillment_condition: {
    op: 'AND',
    conditions: [
      { event: 'delivered', match: { country: 'DE' } },
      { op: 'OR', conditions: [{ event: 'signed' }, { event: 'photo_taken', field: 'quality', gte: 0.8 }] },
      { op: 'NOT', condition: { event: 'complaint' } },
    ],
  },
}

const DELIVERED: JsonObject = { type: 'delivered', country: 'DE', carrier: 'DHL' }
const SIGNED: JsonObject = { type: 'signed', by: 'M. Roth' }

/** Creates demo data and returns the id of its test clock. Complete demo data is reused. Incomplete demo data is deleted and
 * created again.
 */
export async function makeDemo(): Promise<string> {
  const { data } = await get<Page<TestClock>>('/v1/test_clocks', { order: 'desc', limit: 100 })
  const earlier = data.filter(({ name }) => name === NAME)
  const whole = earlier.find(({ frozen_time }) => frozen_time >= END)
  if (whole) return whole.id
  for (const { id } of earlier) await deleteTestClock(id)

  const customer = await demoCustomer()
  const schema = await demoSchema()
  const clock = await createTestClock({ name: NAME, frozen_time: day(0) })
  await simulateWeek(clock.id, customer, schema.id)
  return clock.id
}

async function demoCustomer(): Promise<Customer> {
  const { data } = await get<Page<Customer>>('/v1/customers', { external_id: 'demo-customer' })
  return data[0] ?? createCustomer({ external_id: 'demo-customer', name: 'Demo Customer' })
}

async function demoSchema(): Promise<ClaimSchema> {
  const { data } = await get<{ data: ClaimSchema[] }>('/v1/schemas')
  const isSame = ({ contract }: ClaimSchema) =>
    jsonEquals(contract as unknown as Json, CONTRACT as unknown as Json)
  return (
    data.find(isSame) ?? createSchema({ contract: CONTRACT }, { name: 'Demo: delivery', description: null })
  )
}

async function simulateWeek(clock: string, customer: Customer, schema_id: string): Promise<void> {
  const create = async (kind: ClaimKind, events: JsonObject[], alias?: string): Promise<AnyClaim> => {
    const name = kind === 'claims' ? customer.id : customer.external_id
    const source = { schema_id }
    const made = await createClaim(kind, { customer: name, source, clock, ...(alias ? { alias } : {}) })
    await submitAll(made, events)
    return made
  }
  const submitAll = async (claim: AnyClaim, events: JsonObject[]) => {
    for (const event of events)
      await submitEvent('id' in claim ? 'claims' : 'candidates', nameOf(claim), event)
  }

  // Aliases are unique across accounts.
  const mark = clock.slice(-12)

  // Delivered and signed: CONFIRMED after the review. Delivered elsewhere, or with a complaint: FAILED after both windows.
  await create('claims', [DELIVERED, SIGNED])
  await create('claims', [{ type: 'delivered', country: 'AT' }, SIGNED])
  const late = await create('claims', [DELIVERED])
  await create('claims', [{ type: 'complaint', text: 'The box was open' }, DELIVERED, SIGNED])
  const order = await create('candidates', [DELIVERED], `demo-order-1-${mark}`)
  await advanceTestClock(clock, day(1))
  await submitAll(late, [{ type: 'photo_taken', quality: 0.93 }])
  await advanceTestClock(clock, day(2))
  await submitAll(order, [SIGNED])
  await advanceTestClock(clock, day(5, 10))

  // On the last day: one PENDING claim, and OPEN claims with and without an event.
  await create('claims', [DELIVERED, SIGNED])
  await create('claims', [DELIVERED])
  await create('claims', [])
  await create('candidates', [], `demo-order-2-${mark}`)
  await advanceTestClock(clock, END)
}
