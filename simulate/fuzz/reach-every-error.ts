import { type Account, headersOf, type Identity } from './account.ts'
import { Client, type Seat } from './client.ts'
import { codesOf, type Operation } from './document.ts'
import { kindOfPath } from './known.ts'
import { addressedTo, CONTRACT, fullLogs, makeRecords, REFERENCE, type Records, USED_KEY } from './records.ts'
import type { Request } from './request.ts'
import { someUuid } from './strings.ts'

const MIB = 1024 * 1024
/** More than a body may have, of a batch and otherwise. */
const LARGE_BATCH = Buffer.alloc(8 * MIB + 1, ' ')
const LARGE_BODY = LARGE_BATCH.subarray(0, MIB + 1)

/** Of what must succeed at last. */
const MOST_TRIES = 10

type Field = Record<string, unknown>
/** What makes a request of an operation fail in one way. */
type Recipe = (asked: Request, needs: Needs) => Request

interface Needs {
  seat: Seat
  operation: Operation
  records: Records
}

/** Asks each operation for each error that the document promises of it and that a request alone can reach. */
export async function reachEveryError(seat: Seat, full: Account): Promise<void> {
  const client = new Client(seat)
  const records = await makeRecords(seat)
  for (const operation of seat.document.operations) {
    for (const code of Object.values(operation.responses).flatMap(codesOf)) {
      const recipe = RECIPES[code]
      if (!recipe) continue
      const needs = { seat, operation, records }
      const asked = recipe(plainRequest(needs), needs)
      // A body that is too large may be cut off before its refusal is read.
      for (let i = 0; i < MOST_TRIES && !seat.tally.has(operation.id, code); i++)
        await client.askPatiently(asked)
    }
  }
  await askFull({ ...seat, account: full }, records)
  await fullLogs(seat, client, records)
  await tooMany(seat, client, records, 'createSchema', 'SCHEMA_LIMIT_REACHED')
  await tooMany(seat, client, records, 'createCalendar', 'CALENDAR_LIMIT_REACHED')
  await tooMany(seat, client, records, 'createWebhookEndpoint', 'WEBHOOK_ENDPOINT_LIMIT_REACHED')
  await tellOfTakenAliases(client, { seat, records })
}

/** One that would succeed. */
function plainRequest({ seat, operation, records }: Needs): Request {
  const { method, path, access } = operation
  const kind = kindOfPath(path)
  const body = records.bodyOf(operation)
  const identity: Identity = access === 'session' ? 'session' : 'token'
  return {
    method,
    path: path
      .replace(/\{\w+\}/, () => encodeURIComponent(seat.account.known.of(kind)[0] ?? someUuid(seat.random)))
      .replace('{version}', '1'),
    headers: {
      ...headersOf(identity, seat.account, seat.wire.url),
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    },
    body: body ? Buffer.from(JSON.stringify(body)) : null,
  }
}

const as =
  (identity: Identity): Recipe =>
  (asked, { seat }) => {
    const { Authorization: _, Cookie: __, Origin: ___, ...headers } = asked.headers
    return { ...asked, headers: { ...headers, ...headersOf(identity, seat.account, seat.wire.url) } }
  }

const withBody =
  (body: Buffer<ArrayBuffer>, type: string): Recipe =>
  (asked) => ({
    ...asked,
    headers: { ...asked.headers, 'Content-Type': type },
    body,
  })

/** Changes a field of the body, or of each item that it has. */
const withField =
  (change: (fields: Field, needs: Needs) => Field): Recipe =>
  (asked, needs) => {
    const body = JSON.parse(asked.body?.toString() ?? '{}') as Field
    const [list] = Object.keys(body)
    const items = needs.operation.path.endsWith('/batch') ? (body[list as string] as Field[]) : null
    const changed = items
      ? { [list as string]: items.map((item) => change(item, needs)) }
      : change(body, needs)
    return { ...asked, body: Buffer.from(JSON.stringify(changed)) }
  }

/** A record that is not there: in the path, or else in the body. */
const withoutRecord =
  (field: string, isInPath: (operation: Operation) => boolean): Recipe =>
  (asked, needs) => {
    const strange = someUuid(needs.seat.random)
    const { path, method } = needs.operation
    if (isInPath(needs.operation))
      return { ...asked, path: path.replace(/\{\w+\}/, strange).replace('{version}', '1') }
    if (method === 'GET') return { ...asked, path: `${asked.path}?${field}=${strange}` }
    return withField(({ contract, claim_id, candidate_alias, ...rest }) =>
      field === 'schema_id'
        ? { ...rest, ...(candidate_alias ? { candidate_alias } : {}), schema_id: strange }
        : {
            ...rest,
            ...(contract ? { contract } : {}),
            ...(candidate_alias && field !== 'claim_id' ? { candidate_alias } : {}),
            [field]: strange,
          },
    )(asked, needs)
  }

/** A contract that names the calendar. */
const withCalendar = (calendar: Field): Recipe =>
  withField(({ schema_id: _, ...fields }) => ({
    ...fields,
    contract: { ...CONTRACT, clock: { calendar } },
  }))

const isAt = (resource: string) => (operation: Operation) => operation.path.startsWith(`/v1/${resource}/{`)

const RECIPES: Record<string, Recipe> = {
  VALIDATION_ERROR: (asked) => ({ ...asked, path: `${asked.path}?x=%ff` }),
  TOKEN_INVALID: as('nobody'),
  CROSS_ORIGIN_REQUEST: as('other-site'),
  SESSION_REQUIRED: as('token'),
  PAYLOAD_TOO_LARGE: (asked, needs) =>
    withBody(needs.operation.path.endsWith('/batch') ? LARGE_BATCH : LARGE_BODY, 'application/json')(
      asked,
      needs,
    ),
  UNSUPPORTED_MEDIA_TYPE: withBody(Buffer.from('a,b'), 'text/csv'),
  CLAIM_NOT_FOUND: withoutRecord('claim_id', isAt('claims')),
  CANDIDATE_NOT_FOUND: withoutRecord('candidate_alias', isAt('candidates')),
  SCHEMA_NOT_FOUND: withoutRecord('schema_id', isAt('schemas')),
  CALENDAR_NOT_FOUND: (asked, needs) =>
    isAt('calendars')(needs.operation)
      ? withoutRecord('', isAt('calendars'))(asked, needs)
      : withCalendar({ id: someUuid(needs.seat.random) })(asked, needs),
  CALENDAR_VERSION_NOT_FOUND: (asked, needs) => {
    if (!isAt('calendars')(needs.operation))
      return withCalendar({ id: needs.records.calendar, version: 2_147_483_647 })(asked, needs)
    return needs.operation.path.endsWith('/preview')
      ? { ...asked, path: `${asked.path}?version=2147483647` }
      : { ...asked, path: asked.path.replace(/\d+$/, '2147483647') }
  },
  SCHEMA_VERSION_NOT_FOUND: (asked) => ({ ...asked, path: asked.path.replace(/\d+$/, '2147483647') }),
  TEST_CLOCK_NOT_FOUND: withoutRecord('test_clock_id', isAt('test_clocks')),
  TOKEN_NOT_FOUND: withoutRecord('', isAt('tokens')),
  WEBHOOK_ENDPOINT_NOT_FOUND: withoutRecord('', isAt('webhook_endpoints')),
  WEBHOOK_DELIVERY_NOT_FOUND: withoutRecord('', isAt('webhook_deliveries')),
  INVITATION_NOT_FOUND: withoutRecord('', isAt('invitations')),
  CUSTOMER_NOT_FOUND: (asked, needs) => {
    const field = needs.operation.path.startsWith('/v1/candidates') ? 'customer_uuid' : 'customer_id'
    return withoutRecord(field, isAt('customers'))(asked, needs)
  },
  CUSTOMER_EXTERNAL_ID_CONFLICT: withField((_, { records }) => ({
    external_id: records.customer.external_id,
  })),
  CANDIDATE_ALIAS_CONFLICT: withField((fields, { records }) => ({
    ...fields,
    candidate_alias: records.alias,
  })),
  CLAIM_REFERENCE_CONFLICT: withField((fields) => ({ ...fields, reference: REFERENCE })),
  PRECONDITION_FAILED: (asked) => ({ ...asked, headers: { ...asked.headers, 'If-Match': '"before"' } }),
  IDEMPOTENCY_KEY_REUSED: (asked) => ({
    ...asked,
    headers: { ...asked.headers, 'Idempotency-Key': USED_KEY },
  }),
  EVENT_ID_CONFLICT: withField((fields) => ({ ...fields, id: 'the first', value: 'another' })),
  CLAIM_NOT_OPEN: (asked, needs) => addressedTo(asked, needs, needs.records.closed),
  EVENT_ID_REQUIRED: (asked, needs) => addressedTo(asked, needs, needs.records.reviewed),
}

/** Aliases of other accounts are disclosed a hundred times a minute. */
async function tellOfTakenAliases(
  client: Client,
  { seat, records }: Omit<Needs, 'operation'>,
): Promise<void> {
  const [taken] = seat.stranger?.known.of('alias') ?? []
  if (taken === undefined) return
  const operation = seat.document.operation('createCandidate')
  const asked = plainRequest({ seat, operation, records })
  const again = withField((fields) => ({ ...fields, candidate_alias: taken }))(asked, {
    seat,
    operation,
    records,
  })
  for (let i = 0; i < 200 && !seat.tally.has('createCandidate', 'RATE_LIMITED'); i++)
    await client.askPatiently(again)
}

/** For one more of what the account has as many of as it may. */
async function askFull(seat: Seat, records: Records): Promise<void> {
  for (const id of ['createOwnToken', 'createInvitation']) {
    await new Client(seat).askPatiently(
      plainRequest({ seat, operation: seat.document.operation(id), records }),
    )
  }
}

/** Until there are as many as the server allows, if that is not too many. */
async function tooMany(
  seat: Seat,
  client: Client,
  records: Records,
  id: string,
  code: string,
): Promise<void> {
  const operation = seat.document.operation(id)
  const asked = plainRequest({ seat, operation, records })
  for (let i = 0; i < 100 && !seat.tally.has(id, code); i++) await client.askPatiently(asked)
}
