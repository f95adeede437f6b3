import { type Static, Type } from 'typebox'
import type { App } from '../app/app.ts'
import { createCustomer, getCustomer, listCustomers, updateCustomer } from '../app/customers.ts'
import type { Customer } from '../domain/records.ts'
import {
  expectedVersions,
  IfMatchHeader,
  IfNoneMatchHeader,
  sendTagged,
  tagged,
} from './protocol/entity-tags.ts'
import { ONCE_ERRORS, onceRoute } from './protocol/idempotency-key.ts'
import { listQuery, pageOf } from './protocol/lists.ts'
import { ETAG, LOCATION, NOT_MODIFIED, ref, responses } from './protocol/responses.ts'
import { CustomerName, DateTime, ExternalId, Uuid } from './protocol/scalars.ts'
import { type Route, route } from './route.ts'

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

const NewCustomerBody = Type.Object(
  { external_id: ExternalId, name: Type.Optional(CustomerName) },
  { additionalProperties: false },
)

const CustomerChangeBody = Type.Object({ name: CustomerName }, { additionalProperties: false })

const tags = ['Customers']
const params = Type.Object({ id: Uuid('The customer.') })

export const customerRoutes = (app: App): Route[] => [
  createCustomerRoute(app),
  listCustomersRoute(app),
  getCustomerRoute(app),
  updateCustomerRoute(app),
]

const createCustomerRoute = (app: App) =>
  onceRoute(app, {
    method: 'POST',
    url: '/v1/customers',
    schema: {
      operationId: 'createCustomer',
      summary: 'Create a customer',
      tags,
      body: NewCustomerBody,
      response: responses(
        {
          201: { description: 'The customer.', headers: { ...LOCATION, ...ETAG }, schema: ref(CustomerBody) },
        },
        [...ONCE_ERRORS, 'CUSTOMER_EXTERNAL_ID_CONFLICT'],
      ),
    },
    answer: async (app, request) => {
      const { external_id: externalId, name = null } = request.body
      const customer = await createCustomer(app, { userId: request.userId, externalId, name })
      const headers = { Location: `/v1/customers/${customer.id}`, ...tagged(customer.version) }
      return { status: 201, headers, body: presentCustomer(customer) }
    },
  })

const listCustomersRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/customers',
    schema: {
      operationId: 'listCustomers',
      summary: 'List customers',
      description: 'The account’s customers in the order of their creation.',
      tags,
      querystring: listQuery({
        external_id: Type.Optional(
          Type.String({ ...ExternalId, description: 'Only the customer with this external_id.' }),
        ),
        search: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 255,
            description:
              'Only customers whose external_id or name begins so, whatever the case of the letters. A page looks at 10,000 customers at most (§4.1 rule 3).',
            examples: ['acm'],
          }),
        ),
      }),
      response: responses({ 200: { description: 'A page.', schema: pageOf(CustomerBody) } }, []),
    },
    handler: async (request) => {
      const { external_id: externalId, search, after, limit = 50, order = 'asc' } = request.query
      const { userId } = request
      const { rows, next } = await listCustomers(app, { userId, externalId, search, after, limit, order })
      return { data: rows.map(presentCustomer), next_cursor: next }
    },
  })

const getCustomerRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/customers/:id',
    schema: {
      operationId: 'getCustomer',
      summary: 'Read a customer',
      tags,
      params,
      headers: IfNoneMatchHeader,
      response: responses(
        { 200: { description: 'The customer.', headers: ETAG, schema: ref(CustomerBody) }, ...NOT_MODIFIED },
        ['CUSTOMER_NOT_FOUND'],
      ),
    },
    handler: async (request, reply) => {
      const customer = await getCustomer(app, request.userId, request.params.id.toLowerCase())
      return sendTagged(request, reply, customer.version, presentCustomer(customer))
    },
  })

const updateCustomerRoute = (app: App) =>
  onceRoute(app, {
    method: 'PATCH',
    url: '/v1/customers/:id',
    schema: {
      operationId: 'updateCustomer',
      summary: 'Rename a customer',
      description: 'Sets or clears the name; the external_id never changes.',
      tags,
      params,
      headers: IfMatchHeader,
      body: CustomerChangeBody,
      response: responses(
        { 200: { description: 'The customer.', headers: ETAG, schema: ref(CustomerBody) } },
        [...ONCE_ERRORS, 'CUSTOMER_NOT_FOUND', 'PRECONDITION_FAILED'],
      ),
    },
    answer: async (app, { userId, params, body, headers }) => {
      const expected = expectedVersions(headers['if-match'])
      const customer = await updateCustomer(app, userId, params.id.toLowerCase(), body.name, expected)
      return { headers: tagged(customer.version), body: presentCustomer(customer) }
    },
  })

function presentCustomer(customer: Customer): Static<typeof CustomerBody> {
  return {
    id: customer.id,
    user_id: customer.userId,
    external_id: customer.externalId,
    name: customer.name,
    created_at: customer.createdAt,
  }
}
