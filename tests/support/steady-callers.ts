import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { contractWith } from './contracts.ts'
import { uniqueName } from './new-records.ts'

const WORKERS = 3
const PAUSE_MS = 100

export interface SteadyCallers {
  /** The candidates so far. Each is PENDING after two acknowledged events. */
  aliases: string[]
  /** Sends no further requests. Resolves when all requests are answered; rejects if one failed. */
  stop: () => Promise<void>
}

/** Callers that continuously create, read and list candidates and submit events. Any error or unexpected status is a failure. */
export function startSteadyCallers(url: string, token: string | null, externalId: string): SteadyCallers {
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
  const runWorker = async () => {
    while (!isStopping) {
      const candidate_alias = uniqueName('steady')
      await call('POST', '/v1/candidates', 201, { candidate_alias, customer_uuid: externalId, contract })
      await call('POST', '/v1/events', 201, { candidate_alias, id: 'first', type: 'seen' })
      await call('POST', '/v1/events', 201, { candidate_alias, id: 'last', type: 'done' })
      const { status } = await call('GET', `/v1/candidates/${candidate_alias}`, 200)
      assert.equal(status, 'PENDING')
      aliases.push(candidate_alias)
      await call('GET', '/v1/candidates?limit=10', 200)
      await pause(PAUSE_MS)
    }
  }
  const workers = Promise.all(Array.from({ length: WORKERS }, runWorker))
  // stop() reports the failures.
  workers.catch(() => {
    isStopping = true
  })
  return {
    aliases,
    stop: async () => {
      isStopping = true
      await workers
    },
  }
}
