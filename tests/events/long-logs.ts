import assert from 'node:assert/strict'
import type { Answer } from '../support/api-client.ts'
import { all, contractWith } from '../support/contracts.ts'
import { startProxiedService } from '../support/proxied-service.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'
import type { Scope } from '../support/test-database.ts'

/** What an event of a long log holds. */
export const LONG_TEXT = 'v'.repeat(20_000)

/** Two servers: one writes long logs, and another, which has no copies of them, is sent more. */
export async function startLongLogs(scope: Scope) {
  const service = await sharedService()
  let reads = 0
  let holding: Promise<void> | null = null
  const second = await startProxiedService(scope, { databaseUrl: service.databaseUrl, withoutAccount: true })
  second.proxy.onStatement((statement) => {
    if (statement !== 'read_long_log') return null
    reads++
    const held = holding
    holding = null
    return held
  })
  const there = second.clientWith(service.api.token)
  const customer = await service.api.customer('acme')
  const terms = contractWith({ fulfillment_condition: all({ event: 'filler', gte: 39 }, { event: 'last' }) })

  return {
    service,
    second,
    there,
    /** How often a long log was read. */
    reads: () => reads,
    /** The next read waits for this. */
    holdNextRead: (released: Promise<void>): void => {
      holding = released
    },

    /** A claim with a log that is longer than what a group reads, and decisive. */
    claimWithLongLog: async (): Promise<string> => {
      const { id } = await service.api.claim(customer, terms)
      const events = Array.from({ length: 40 }, (_, i) => ({
        claim_id: id,
        id: `${i}`,
        type: i % 4 === 0 ? 'noise' : 'filler',
        value: i,
        text: LONG_TEXT,
      }))
      const results = await runBatch(service.api, '/v1/events/batch', events)
      assert.ok(results.every(({ status }) => status === 201))
      return id
    },

    submit: (claim_id: string, id: string, type: string, fields = {}): Promise<Answer> =>
      there.post('/v1/events', { claim_id, id, type, ...fields }),
  }
}
