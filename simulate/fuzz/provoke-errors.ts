import { type Account, type Identity, identityHeaders } from './account.ts'
import { errorCodesOf, type Operation } from './api-document.ts'
import { Client } from './client.ts'
import type { FuzzContext } from './context.ts'
import { kindOfPath } from './known-ids.ts'
import { randomUuid } from './random-values.ts'
import {
  CONTRACT,
  fillLogs,
  makeRecords,
  REFERENCE,
  type Records,
  submissionTo,
  USED_IDEMPOTENCY_KEY,
} from './records.ts'
import type { Request } from './request.ts'

const MIB = 1024 * 1024
/** Larger than the limit of a batch and of other bodies. */
const LARGE_BATCH = Buffer.alloc(8 * MIB + 1, ' ')
const LARGE_BODY = LARGE_BATCH.subarray(0, MIB + 1)

const MAX_TRIES = 10

type Fields = Record<string, unknown>
/** Changes a valid request so that it fails with an error. */
type MutateRequest = (request: Request, target: RequestTarget) => Request

interface RequestTarget {
  context: FuzzContext
  operation: Operation
  records: Records
}

/** Provokes each documented error of each operation that a request alone can cause. */
export async function provokeErrors(context: FuzzContext, fullAccount: Account): Promise<void> {
  const client = new Client(context)
  const records = await makeRecords(context)
  for (const operation of context.document.operations) {
    for (const code of Object.values(operation.responses).flatMap(errorCodesOf)) {
      const mutation = MUTATIONS[code]
      if (!mutation) continue
      const target = { context, operation, records }
      const request = mutation(validRequest(target), target)
      // The connection may close before the response to a too large body is read.
      for (let i = 0; i < MAX_TRIES && !context.stats.has(operation.id, code); i++)
        await client.sendWithRetries(request)
    }
  }
  await exceedAccountLimits({ ...context, account: fullAccount }, records)
  await fillLogs(context, client, records)
  await exceedLimit(context, client, records, 'createSchema', 'SCHEMA_LIMIT_REACHED')
  await exceedLimit(context, client, records, 'createCalendar', 'CALENDAR_LIMIT_REACHED')
  await exceedLimit(context, client, records, 'createWebhookEndpoint', 'WEBHOOK_ENDPOINT_LIMIT_REACHED')
  await exceedAliasDisclosures(client, { context, records })
}

function validRequest({ context, operation, records }: RequestTarget): Request {
  const { method, path, access } = operation
  const kind = kindOfPath(path)
  const body = records.bodyOf(operation)
  const identity: Identity = access === 'session' ? 'session' : 'token'
  return {
    method,
    path: path
      .replace(/\{\w+\}/, () =>
        encodeURIComponent(context.account.known.of(kind)[0] ?? randomUuid(context.random)),
      )
      .replace('{version}', '1'),
    headers: {
      ...identityHeaders(identity, context.account, context.http.url),
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    },
    body: body ? Buffer.from(JSON.stringify(body)) : null,
  }
}

const withIdentity =
  (identity: Identity): MutateRequest =>
  (request, { context }) => {
    const { Authorization: _, Cookie: __, Origin: ___, ...headers } = request.headers
    return {
      ...request,
      headers: { ...headers, ...identityHeaders(identity, context.account, context.http.url) },
    }
  }

const withBody =
  (body: Buffer<ArrayBuffer>, type: string): MutateRequest =>
  (request) => ({
    ...request,
    headers: { ...request.headers, 'Content-Type': type },
    body,
  })

/** Changes the body, or each item of a batch. */
const withFields =
  (change: (fields: Fields, target: RequestTarget) => Fields): MutateRequest =>
  (request, target) => {
    const body = JSON.parse(request.body?.toString() ?? '{}') as Fields
    const [list] = Object.keys(body)
    const items = target.operation.path.endsWith('/batch') ? (body[list as string] as Fields[]) : null
    const changed = items
      ? { [list as string]: items.map((item) => change(item, target)) }
      : change(body, target)
    return { ...request, body: Buffer.from(JSON.stringify(changed)) }
  }

/** Uses the id of a missing record: in the path, the query or the body. */
const withMissingRecord =
  (field: string, isInPath: (operation: Operation) => boolean): MutateRequest =>
  (request, target) => {
    const unknownId = randomUuid(target.context.random)
    const { path, method } = target.operation
    if (isInPath(target.operation))
      return { ...request, path: path.replace(/\{\w+\}/, unknownId).replace('{version}', '1') }
    if (method === 'GET') return { ...request, path: `${request.path}?${field}=${unknownId}` }
    return withFields(({ contract, claim_id, candidate_alias, ...rest }) =>
      field === 'schema_id'
        ? { ...rest, ...(candidate_alias ? { candidate_alias } : {}), schema_id: unknownId }
        : {
            ...rest,
            ...(contract ? { contract } : {}),
            ...(candidate_alias && field !== 'claim_id' ? { candidate_alias } : {}),
            [field]: unknownId,
          },
    )(request, target)
  }

/** A contract with this calendar. */
const withCalendar = (calendar: Fields): MutateRequest =>
  withFields(({ schema_id: _, ...fields }) => ({
    ...fields,
    contract: { ...CONTRACT, clock: { calendar } },
  }))

const hasId = (resource: string) => (operation: Operation) => operation.path.startsWith(`/v1/${resource}/{`)

const MUTATIONS: Record<string, MutateRequest> = {
  VALIDATION_ERROR: (request) => ({ ...request, path: `${request.path}?x=%ff` }),
  TOKEN_INVALID: withIdentity('none'),
  CROSS_ORIGIN_REQUEST: withIdentity('other-site'),
  SESSION_REQUIRED: withIdentity('token'),
  PAYLOAD_TOO_LARGE: (request, target) =>
    withBody(target.operation.path.endsWith('/batch') ? LARGE_BATCH : LARGE_BODY, 'application/json')(
      request,
      target,
    ),
  UNSUPPORTED_MEDIA_TYPE: withBody(Buffer.from('a,b'), 'text/csv'),
  CLAIM_NOT_FOUND: withMissingRecord('claim_id', hasId('claims')),
  CANDIDATE_NOT_FOUND: withMissingRecord('candidate_alias', hasId('candidates')),
  SCHEMA_NOT_FOUND: withMissingRecord('schema_id', hasId('schemas')),
  CALENDAR_NOT_FOUND: (request, target) =>
    hasId('calendars')(target.operation)
      ? withMissingRecord('', hasId('calendars'))(request, target)
      : withCalendar({ id: randomUuid(target.context.random) })(request, target),
  CALENDAR_VERSION_NOT_FOUND: (request, target) => {
    if (!hasId('calendars')(target.operation))
      return withCalendar({ id: target.records.calendar, version: 2_147_483_647 })(request, target)
    return target.operation.path.endsWith('/preview')
      ? { ...request, path: `${request.path}?version=2147483647` }
      : { ...request, path: request.path.replace(/\d+$/, '2147483647') }
  },
  SCHEMA_VERSION_NOT_FOUND: (request) => ({ ...request, path: request.path.replace(/\d+$/, '2147483647') }),
  TEST_CLOCK_NOT_FOUND: withMissingRecord('test_clock_id', hasId('test_clocks')),
  TOKEN_NOT_FOUND: withMissingRecord('', hasId('tokens')),
  WEBHOOK_ENDPOINT_NOT_FOUND: withMissingRecord('', hasId('webhook_endpoints')),
  WEBHOOK_DELIVERY_NOT_FOUND: withMissingRecord('', hasId('webhook_deliveries')),
  INVITATION_NOT_FOUND: withMissingRecord('', hasId('invitations')),
  CUSTOMER_NOT_FOUND: (request, target) => {
    const field = target.operation.path.startsWith('/v1/candidates') ? 'customer_uuid' : 'customer_id'
    return withMissingRecord(field, hasId('customers'))(request, target)
  },
  CUSTOMER_EXTERNAL_ID_CONFLICT: withFields((_, { records }) => ({
    external_id: records.customer.external_id,
  })),
  CANDIDATE_ALIAS_CONFLICT: withFields((fields, { records }) => ({
    ...fields,
    candidate_alias: records.alias,
  })),
  CLAIM_REFERENCE_CONFLICT: withFields((fields) => ({ ...fields, reference: REFERENCE })),
  PRECONDITION_FAILED: (request) => ({ ...request, headers: { ...request.headers, 'If-Match': '"before"' } }),
  IDEMPOTENCY_KEY_REUSED: (request) => ({
    ...request,
    headers: { ...request.headers, 'Idempotency-Key': USED_IDEMPOTENCY_KEY },
  }),
  EVENT_ID_CONFLICT: withFields((fields) => ({ ...fields, id: 'the first', value: 'another' })),
  CLAIM_NOT_OPEN: (request, target) => submissionTo(request, target, target.records.closed),
  EVENT_ID_REQUIRED: (request, target) => submissionTo(request, target, target.records.reviewed),
}

/** The number of disclosed aliases of other accounts is limited to a hundred per minute. */
async function exceedAliasDisclosures(
  client: Client,
  { context, records }: Omit<RequestTarget, 'operation'>,
): Promise<void> {
  const [taken] = context.otherAccount?.known.of('alias') ?? []
  if (taken === undefined) return
  const operation = context.document.operation('createCandidate')
  const request = validRequest({ context, operation, records })
  const again = withFields((fields) => ({ ...fields, candidate_alias: taken }))(request, {
    context,
    operation,
    records,
  })
  for (let i = 0; i < 200 && !context.stats.has('createCandidate', 'RATE_LIMITED'); i++)
    await client.sendWithRetries(again)
}

/** Creates one record more than the account's limits. */
async function exceedAccountLimits(context: FuzzContext, records: Records): Promise<void> {
  for (const id of ['createOwnToken', 'createInvitation']) {
    await new Client(context).sendWithRetries(
      validRequest({ context, operation: context.document.operation(id), records }),
    )
  }
}

/** Creates records until the server's limit, if it is low. */
async function exceedLimit(
  context: FuzzContext,
  client: Client,
  records: Records,
  id: string,
  code: string,
): Promise<void> {
  const operation = context.document.operation(id)
  const request = validRequest({ context, operation, records })
  for (let i = 0; i < 100 && !context.stats.has(id, code); i++) await client.sendWithRetries(request)
}
