import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { newCustomer } from '../support/new-records.ts'
import { readFeed } from '../support/read-pages.ts'
import { sharedService } from '../support/shared.ts'

/* Notifications that are committed later than their numbers are taken. */

const { api } = await sharedService()

const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

test('each settled notification keeps the number that was reported, even with concurrent writers', async () => {
  const customers = await Promise.all(Array.from({ length: 4 }, () => newCustomer(api)))
  const { cursor: start } = await readFeed(api)
  let isOver = false
  const seen: string[] = []
  const reading = (async () => {
    for (let after = start; ; ) {
      const isLast = isOver
      const read = await readFeed(api, { limit: 100, after })
      seen.push(...idsOf(read))
      after = read.cursor
      if (isLast) return
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
  assert.equal(new Set(seen).size, 200)
  assert.deepEqual(seen, idsOf(await readFeed(api, { limit: 100, after: start })))
})
