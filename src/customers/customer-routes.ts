import { Type } from 'typebox'
import type { App } from '../app.ts'
import { ONCE_ERRORS, onceRoute } from '../idempotency/idempotency-key.ts'
import type { Metadata } from '../kernel/metadata.ts'
import { contextOf } from '../platform/database/context.ts'
import {
  METADATA_FILTERS,
  MetadataBody,
  MetadataChangeBody,
  metadataOf,
  NewMetadata,
} from '../platform/http/bodies/metadata-bodies.ts'
import {
  expectedVersions,
  IfMatchHeader,
  IfNoneMatchHeader,
  sendTagged,
  tagged,
} from '../platform/http/responses/entity-tags.ts'
import { CustomerName, DateTime, ExternalId, Uuid } from '../platform/http/responses/field-schemas.ts'
import { JsonText, sendJson } from '../platform/http/responses/json-stream.ts'
import { listQuery, pageOf, presentEach } from '../platform/http/responses/lists.ts'
import { ETAG, LOCATION, NOT_MODIFIED, ref, responses } from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import type { Customer } from './customer.ts'
import { createCustomer, getCustomer, listCustomers, updateCustomer } from './customers.ts'

export const CustomerBody = Type.Object(
  {
    id: Uuid('Made by the server.'),
    user_id: Uuid('The account that it belongs to.'),
    external_id: ExternalId,
    name: CustomerName,
    metadata: MetadataBody,
    created_at: DateTime('When it was created.'),
  },
  { $id: 'Customer', description: 'Whom claims and candidates belong to.' },
)

const NewCustomerBody = Type.Object(
  { external_id: ExternalId, name: Type.Optional(CustomerName), metadata: Type.Optional(NewMetadata) },
  { additionalProperties: false },
)

const CustomerChangeBody = Type.Object(
  { name: Type.Optional(CustomerName), metadata: Type.Optional(MetadataChangeBody) },
  { additionalProperties: false, minProperties: 1, examples: [{ metadata: { region: 'apac' } }] },
)

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
    answer: async (context, request) => {
      const { external_id: externalId, name = null, metadata = {} } = request.body
      const customer = await createCustomer(app, context, { externalId, name, metadata })
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
              'Only customers whose external_id or name begins with this text, in any letter case (Unicode’s simple case folding). A page looks at 10,000 customers at most (§4.1 rule 3).',
            examples: ['acm'],
          }),
        ),
        ...METADATA_FILTERS,
      }),
      response: responses({ 200: { description: 'A page.', schema: pageOf(CustomerBody) } }, []),
    },
    handler: async (request, reply) => {
      const { external_id: externalId, search, after, limit = 50, order = 'asc' } = request.query
      const metadata = metadataOf(request.query)
      const asked = { externalId, search, metadata, after, limit, order }
      const { customers, nextCursor } = await listCustomers(contextOf(app.db, request.userId), asked)
      const data = presentEach(customers, (one) =>
        JsonText.ofObject(presentCustomer({ ...one, metadata: new JsonText(one.metadata) })),
      )
      return sendJson(reply, { data, next_cursor: nextCursor })
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
      const customer = await getCustomer(contextOf(app.db, request.userId), request.params.id.toLowerCase())
      return sendTagged(request, reply, customer.version, presentCustomer(customer))
    },
  })

const updateCustomerRoute = (app: App) =>
  onceRoute(app, {
    method: 'PATCH',
    url: '/v1/customers/:id',
    schema: {
      operationId: 'updateCustomer',
      summary: 'Change a customer',
      description:
        'Sets what is given: the name, and single keys of the metadata (§2.14). The external_id never changes.',
      tags,
      params,
      headers: IfMatchHeader,
      body: CustomerChangeBody,
      response: responses(
        { 200: { description: 'The customer.', headers: ETAG, schema: ref(CustomerBody) } },
        [...ONCE_ERRORS, 'CUSTOMER_NOT_FOUND', 'PRECONDITION_FAILED'],
      ),
    },
    answer: async (context, { params, body, headers }) => {
      const expected = expectedVersions(headers['if-match'])
      const change = { name: body.name, metadata: body.metadata }
      const customer = await updateCustomer(context, params.id.toLowerCase(), change, expected)
      return { headers: tagged(customer.version), body: presentCustomer(customer) }
    },
  })

function presentCustomer<M = Metadata>(customer: Omit<Customer, 'metadata'> & { metadata: M }) {
  return {
    id: customer.id,
    user_id: customer.userId,
    external_id: customer.externalId,
    name: customer.name,
    metadata: customer.metadata,
    created_at: customer.createdAt,
  }
}
