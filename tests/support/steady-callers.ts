import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { contractWith } from './contracts.ts'
import { uniqueName } from './new-records.ts'

const WORKERS = 3
const PAUSE_MS = 100

export interface SteadyCallers {
  /** The candidates so far. Each was settled by two acknowledged events. */
  aliases: string[]
  /** Begins no further requests. Resolves when all are answered. */
  stop: () => Promise<void>
}

/** Callers that create candidates, submit events, read and list, and take no refusal: any other answer than the right one fails. */
export function startSteadyCallers(url: string, token: string | null, customerName: string): SteadyCallers {
  const aliases: string[] = []
  let isStopping = false
  const call = async (method: string, path: string, status: number, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(10_000),
    })
    const text = await response.text()
    assert.equal(response.status, status, `${method} ${path}: ${text}`)
    return JSON.parse(text)
  }
  const contract = contractWith({ fulfillment_condition: { event: 'done' } })
  const work = async () => {
    while (!isStopping) {
      const candidate_alias = uniqueName('steady')
      await call('POST', '/v1/candidates', 201, { candidate_alias, customer_uuid: customerName, contract })
      await call('POST', '/v1/events', 201, { candidate_alias, id: 'first', type: 'seen' })
      await call('POST', '/v1/events', 201, { candidate_alias, id: 'last', type: 'done' })
      const { status } = await call('GET', `/v1/candidates/${candidate_alias}`, 200)
      assert.equal(status, 'PENDING')
      aliases.push(candidate_alias)
      await call('GET', '/v1/candidates?limit=10', 200)
      await pause(PAUSE_MS)
    }
  }
  const working = Promise.all(Array.from({ length: WORKERS }, work))
  // stop() reports the failures.
  working.catch(() => {
    isStopping = true
  })
  return {
    aliases,
    stop: async () => {
      isStopping = true
      await working
    },
  }
}
