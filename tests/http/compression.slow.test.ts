import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { addLargeSchemas } from '../support/large-records.ts'
import { newSchema } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'
import { accept, longText, receive, startRequest } from './encoded-responses.ts'

const service = await startTestService({ after })

test('beyond the limit of compressed responses at once, responses are sent uncompressed until a client disconnects', async () => {
  const one = await newSchema(service.api, {
    fulfillment_condition: { event: 'done', match: longText(10_000) },
  })
  const small = `/v1/schemas/${one.id}`
  const account = await service.newAccount()
  const { id } = await newSchema(account)
  // More than the buffers of a connection hold.
  await addLargeSchemas(
    service.sql,
    id,
    300,
    contractWith({
      fulfillment_condition: { event: 'done', match: longText(48_000) },
    }),
  )
  const unread = await startAll()
  assert.ok(unread.every(isCompressed))
  assert.equal((await receive(service.api, small, accept('gzip'))).encoding, 'identity')
  for (const { request } of unread) request.destroy()
  // All eight permits are released.
  await eventually(async () => {
    const again = await startAll()
    for (const { request } of again) request.destroy()
    return again.every(isCompressed)
  })

  function startAll() {
    return Promise.all(Array.from({ length: 8 }, () => startRequest(account, '/v1/schemas', accept('gzip'))))
  }
  function isCompressed({ answer }: { answer: IncomingMessage }) {
    return answer.headers['content-encoding'] === 'gzip'
  }
})

test('a compressed response that fails in the middle ends with a connection error', async () => {
  const account = await service.newAccount()
  const { id } = await newSchema(account)
  const contract = contractWith({ fulfillment_condition: { event: 'done', match: longText(48_000) } })
  await addLargeSchemas(service.sql, id, 200, contract)
  const { answer } = await startRequest(account, '/v1/schemas', accept('gzip'))
  await service.sql('ALTER TABLE claim_schemas RENAME TO claim_schemas_away')
  try {
    const read = async () => {
      for await (const _ of answer);
    }
    await assert.rejects(read, /aborted|ECONNRESET/)
  } finally {
    await service.sql('ALTER TABLE claim_schemas_away RENAME TO claim_schemas')
  }
})
