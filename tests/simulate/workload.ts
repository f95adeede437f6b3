import { setTimeout as pause } from 'node:timers/promises'
import type { Testbed } from '../../simulate/testbed.ts'
import { contractWith } from '../support/contracts.ts'

const PAUSE_MS = 5
const TIMEOUT_MS = 15_000
const CLAIMS = 20

/** Clients that send requests of several kinds until they are stopped. Responses are only counted. */
export interface Workload {
  /** Number of responses by status. 0: no response. */
  answers: ReadonlyMap<number, number>
  stop: () => Promise<void>
}

type Call = (method: string, path: string, body?: object) => Promise<{ status: number; body: Body }>
interface Body {
  id: string
  frozen_time: string
}

export async function startWorkload(testbed: Testbed, clients = 4): Promise<Workload> {
  const { token } = await testbed.newAccount()
  const answers = new Map<number, number>()
  let calls = 0
  const call: Call = async (method, path, body) => {
    const url = testbed.urls[++calls % testbed.urls.length]
    const answer = await sendJson(`${url}${path}`, method, token, body)
    answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
    return answer
  }
  const [live, onClock, clock] = await prepare(call)
  let minutes = 0
  let stopping = false
  let number = 0
  const requests = [
    () => call('POST', '/v1/events', event(live, ++number)),
    () => call('POST', '/v1/events', event(onClock, ++number)),
    () => call('POST', '/v1/customers', { external_id: `customer-${++number}` }),
    () => call('POST', `/v1/test_clocks/${clock}/advance`, { frozen_time: after(++minutes) }),
    () => call('POST', '/v1/events', event(live, ++number)),
    () => call('GET', `/v1/claims/${live[0]}`),
  ]
  const repeat = async (client: number) => {
    for (let i = client; !stopping; i++) {
      await requests[i % requests.length]?.()
      await pause(PAUSE_MS)
    }
  }
  const all = Promise.all(Array.from({ length: clients }, (_, client) => repeat(client)))
  all.catch(() => {})
  return {
    answers,
    stop: async () => {
      stopping = true
      await all
    },
  }
}

const after = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString()

const event = (claims: readonly string[], number: number) => ({
  id: `event-${number}`,
  claim_id: claims[number % claims.length],
  type: 'note',
  payload: {},
})

/** Claims whose condition no event satisfies, without and with a test clock, and the clock. */
async function prepare(call: Call): Promise<[string[], string[], string]> {
  const customer = await call('POST', '/v1/customers', { external_id: 'workload' })
  const clock = await call('POST', '/v1/test_clocks', { frozen_time: after(0) })
  const make = async (more: object) => {
    const claim = { customer_id: customer.body.id, contract: contractWith(), ...more }
    const created = await Promise.all(Array.from({ length: CLAIMS }, () => call('POST', '/v1/claims', claim)))
    return created.map(({ body }) => body.id)
  }
  return [await make({}), await make({ test_clock_id: clock.body.id }), clock.body.id]
}

async function sendJson(url: string, method: string, token: string, body?: object) {
  try {
    const response = await fetch(url, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { status: response.status, body: (await response.json()) as Body }
  } catch {
    return { status: 0, body: { id: '', frozen_time: '' } }
  }
}
