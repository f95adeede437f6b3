import { Type } from 'typebox'
import { ContractRef } from './contract.ts'
import { DateTime, Uuid } from './scalars.ts'

/** §2.5; "schema" on the wire. */
export const ClaimSchemaBody = Type.Object(
  {
    id: Uuid('Made by the server.'),
    user_id: Uuid('The account that it belongs to.'),
    contract: ContractRef,
    created_at: DateTime('When it was created.'),
    updated_at: DateTime('When its contract was last replaced.'),
  },
  { $id: 'Schema', description: 'A reusable claim template (§2.5).' },
)

export const NewClaimSchemaBody = Type.Object({ contract: ContractRef }, { additionalProperties: false })
