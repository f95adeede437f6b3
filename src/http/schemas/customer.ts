import { Type } from 'typebox'
import { CustomerName, DateTime, ExternalId, Uuid } from './scalars.ts'

export const CustomerBody = Type.Object(
  {
    id: Uuid('Made by the server.'),
    user_id: Uuid('The account that it belongs to.'),
    external_id: ExternalId,
    name: CustomerName,
    created_at: DateTime('When it was created.'),
  },
  { $id: 'Customer', description: 'Whom claims and candidates belong to.' },
)

export const NewCustomerBody = Type.Object(
  { external_id: ExternalId, name: Type.Optional(CustomerName) },
  { additionalProperties: false },
)

export const CustomerChangeBody = Type.Object({ name: CustomerName }, { additionalProperties: false })
