import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { contractWith } from '../support/contracts.ts'
import { newCustomer } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'

/* Notifications that are committed later than their numbers are taken. */

const { api } = await startTestService({ after })

async function read(api: ApiClient, after?: string) {
  const { status, body } = await api.get(
    `/v1/notifications?limit=100${after === undefined ? '' : `&after=${after}`}`,
  )
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('all that is settled has the number that was told, whoever writes at the same time', async () => {
  const customers = await Promise.all(Array.from({ length: 4 }, () => newCustomer(api)))
  const { next_cursor } = await read(api)
  let isOver = false
  const seen: string[] = []
  const reading = (async () => {
    for (let after = next_cursor; ; ) {
      const isLast = isOver
      const { data, ...page } = await read(api, after)
      seen.push(...data.map(({ id }: { id: string }) => id))
      after = page.next_cursor
      if (isLast && !page.has_more) return
    }
  })()
  const writing = Promise.all(
    customers.map(async ({ id }) => {
      for (let i = 0; i < 25; i++) {
        const { id: claimId } = await api.claim(id, contractWith())
        await api.post('/v1/events', { claim_id: claimId, id: randomUUID(), type: 'done' })
      }
    }),
  )
  try {
    await writing
  } finally {
    isOver = true
    await reading
  }
  const again: string[] = []
  for (let after = next_cursor, hasMore = true; hasMore; ) {
    const page = await read(api, after)
    again.push(...page.data.map(({ id }: { id: string }) => id))
    after = page.next_cursor
    hasMore = page.has_more
  }
  assert.equal(new Set(seen).size, 200)
  assert.deepEqual(seen, again)
})
