import { Type } from 'typebox'
import { ExternalId, Status, Uuid } from '../protocol/scalars.ts'

const FILTERS = {
  status: Type.Optional(Status),
  schema_id: Type.Optional(Uuid('Only those whose contract was copied from this schema.')),
  test_clock_id: Type.Optional(Uuid('Only those on this test clock.')),
}

/** Of the list of claims, and of its export. */
export const CLAIM_FILTERS = {
  ...FILTERS,
  customer_id: Type.Optional(Uuid('Only claims of this customer.')),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Only the claim with this reference. Not beside `search`.',
      examples: ['order-4711'],
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 36,
      description: 'Only claims whose id begins so, with its dashes or without any; at least 8 digits.',
      examples: ['01934f6e-7d3a'],
    }),
  ),
}

/** Of the list of candidates, and of its export. */
export const CANDIDATE_FILTERS = {
  ...FILTERS,
  customer_uuid: Type.Optional(
    Type.String({ ...ExternalId, description: 'Only candidates of the customer with this external_id.' }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Only candidates whose alias begins so, letter case included.',
      examples: ['order-2026'],
    }),
  ),
}
