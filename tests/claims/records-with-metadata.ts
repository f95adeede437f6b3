import assert from 'node:assert/strict'
import type { Answer } from '../support/api-client.ts'
import { contractWith } from '../support/contracts.ts'
import { candidatePath, newCustomer, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'

export const service = await sharedService()
export const { api } = service
export const customer = await newCustomer(api)
export const contract = contractWith({})

export type Metadata = Record<string, string>

export const pathOf = ({ id }: { id: string }) => `/v1/claims/${id}`
export const filteredBy = (metadata: Metadata) =>
  Object.entries(metadata)
    .map(([key, value]) => `${encodeURIComponent(`metadata[${key}]`)}=${encodeURIComponent(value)}`)
    .join('&')

export async function create(path: string, body: object): Promise<Answer['body']> {
  const answer = await api.post(path, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

export const newClaim = (metadata?: Metadata, more = {}) =>
  create('/v1/claims', { customer_id: customer.id, contract, ...(metadata ? { metadata } : {}), ...more })
export const newCandidate = (metadata: Metadata, more = {}) =>
  create('/v1/candidates', {
    candidate_alias: uniqueName('candidate'),
    customer_uuid: customer.external_id,
    contract,
    metadata,
    ...more,
  })

/** Of each kind of record with metadata: how one is made, its path and its list. */
export const KINDS = [
  { kind: 'claim', list: '/v1/claims', make: newClaim, at: pathOf },
  {
    kind: 'candidate',
    list: '/v1/candidates',
    make: newCandidate,
    at: ({ candidate_alias }: Answer['body']) => candidatePath(candidate_alias),
  },
  {
    kind: 'customer',
    list: '/v1/customers',
    make: (metadata: Metadata) => create('/v1/customers', { external_id: uniqueName('c'), metadata }),
    at: ({ id }: Answer['body']) => `/v1/customers/${id}`,
  },
]
