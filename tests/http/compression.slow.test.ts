import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { addLargeSchemas } from '../support/large-records.ts'
import { newSchema } from '../support/new-records.ts'
import { startTestService } from '../support/test-service.ts'
import { accept, begin, longText, receive } from './encoded-answers.ts'

const service = await startTestService({ after })

test('as many as go on at once are compressed, others are sent as they are; who leaves makes room', async () => {
  const one = await newSchema(service.api, {
    fulfillment_condition: { event: 'done', match: longText(10_000) },
  })
  const small = `/v1/schemas/${one.id}`
  const account = await service.newAccount()
  const { id } = await newSchema(account)
  // More than connections hold unread.
  await addLargeSchemas(
    service.sql,
    id,
    300,
    contractWith({
      fulfillment_condition: { event: 'done', match: longText(48_000) },
    }),
  )
  const unread = await beginAll()
  assert.ok(unread.every(isCompressed))
  assert.equal((await receive(service.api, small, accept('gzip'))).encoding, 'identity')
  for (const { asked } of unread) asked.destroy()
  // All of the eight come back.
  await eventually(async () => {
    const again = await beginAll()
    for (const { asked } of again) asked.destroy()
    return again.every(isCompressed)
  })

  function beginAll() {
    return Promise.all(Array.from({ length: 8 }, () => begin(account, '/v1/schemas', accept('gzip'))))
  }
  function isCompressed({ answer }: { answer: IncomingMessage }) {
    return answer.headers['content-encoding'] === 'gzip'
  }
})

test('an answer that breaks off on the way does not look whole', async () => {
  const account = await service.newAccount()
  const { id } = await newSchema(account)
  const contract = contractWith({ fulfillment_condition: { event: 'done', match: longText(48_000) } })
  await addLargeSchemas(service.sql, id, 200, contract)
  const { answer } = await begin(account, '/v1/schemas', accept('gzip'))
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
