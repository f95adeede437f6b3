import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { eventOf, fateOf, type History } from './history.ts'
import { NEVER_SETTLED, type Testbed } from './testbed.ts'

/** Number of concurrent callers. More than one connection is in use, so a connection that a fault damaged is used again. */
const SUBMITTERS = 3
/** Requests of each caller after the fault. */
const AFTERWARDS = 3
/** Pause of a caller between two requests. It limits the number of requests during a long fault. */
const PACE_MS = 8

export interface Load {
  /** Resolves when each caller has received a few more responses and has stopped. */
  stop: () => Promise<void>
}

let numbers = 1_000
/** The first unique price. Claims that are created in bulk have lower prices. */
export const nextNumber = () => ++numbers

/** Starts concurrent submissions, creations and reads, which continue until they are stopped. Resolves when all have started. */
export async function startLoad(testbed: Testbed, history: History): Promise<Load> {
  const { api } = testbed.service
  const { claims, customer } = testbed
  let stopping = false
  const answered: number[] = []

  async function repeat(request: () => Promise<void>): Promise<void> {
    const caller = answered.push(0) - 1
    const count = async () => {
      await request()
      answered[caller] = (answered[caller] as number) + 1
    }
    while (!stopping) {
      await count()
      await pause(PACE_MS)
    }
    for (let n = 0; n < AFTERWARDS; n++) await count()
  }

  const submit = async () => {
    const number = nextNumber()
    const claimId = claims[number % claims.length] as string
    const id = `event-${process.pid}-${number}`
    history.noteEvent(claimId, id, await api.post('/v1/events', eventOf(claimId, id)))
  }
  const open = async () => {
    const price = nextNumber()
    const contract = { ...NEVER_SETTLED, price }
    history.noteClaim(price, await api.post('/v1/claims', { customer_id: customer.id, contract }))
  }
  const read = async () => void fateOf(await api.get(`/v1/claims/${claims[0]}`))

  const callers = [...Array<typeof submit>(SUBMITTERS).fill(submit), open, read].map(repeat)
  const all = Promise.all(callers)
  // A caller that fails is reported by stop().
  all.catch(() => {
    stopping = true
  })
  await eventually(async () => stopping || answered.every((count) => count > 0))
  return {
    stop: async () => {
      stopping = true
      await all
    },
  }
}
