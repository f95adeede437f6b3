import { after, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { contractWith } from '../../support/contracts.ts'
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts'
import { startTestService } from '../../support/test-service.ts'

let proxy: FaultProxy | undefined
const service = await startTestService(
  { after },
  {
    throughUrl: async (url) => {
      proxy = await startFaultProxy({ after }, url)
      return proxy.url
    },
  },
)
const { api } = service

test('versions of a schema that is deleted while they are read are no whole list', async () => {
  const { body: schema } = await api.post('/v1/schemas', { contract: contractWith(), name: 'n' })
  for (let n = 0; n < 30; n++) await api.patch(`/v1/schemas/${schema.id}`, { name: `n${n}` })
  let pages = 0
  proxy?.listen(async (statement) => {
    if (statement !== 'list_claim_schema_versions' || ++pages !== 2) return
    proxy?.listen(null)
    await api.delete(`/v1/schemas/${schema.id}`)
  })
  assertError(await api.get(`/v1/schemas/${schema.id}/versions`), 503, 'UNAVAILABLE')
  assertError(await api.get(`/v1/schemas/${schema.id}/versions`), 404, 'SCHEMA_NOT_FOUND')
})
