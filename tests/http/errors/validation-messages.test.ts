import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { contractWith } from '../../support/contracts.ts'
import { newClaim } from '../../support/new-records.ts'
import { sharedService } from '../../support/shared.ts'
import { wholeOperations } from '../../support/whole-operations.ts'

/* What a validation error says: the rule that was broken, the form that is accepted, and where (§7). */

const service = await sharedService()
const { api } = service
const EXAMPLE_UUID = '01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42'

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  not?: object
  oneOf?: { required?: string[] }[]
  anyOf?: Schema[]
  format?: string
  pattern?: string
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  items?: Schema
  examples?: unknown[]
  [bound: string]: unknown
}
interface Operation {
  operationId: string
  parameters?: { in: string; name: string; required?: boolean; schema: Schema; example?: unknown }[]
  requestBody?: {
    content: Record<
      string,
      { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
    >
  }
}
type Json = Record<string, unknown>

const { body: document } = await api.get('/openapi.json')
const operations = Object.entries(
  wholeOperations(document).paths as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    ...operation,
  })),
)

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : schema.$ref
        .split('/')
        .slice(1)
        .reduce((at, key) => at[key], document)

/** Words of the validator, and words that messages of the service must not have. */
const NOT_OURS =
  /undefined|NaN|##|must NOT|must match|must pass|property name|another form|should|\bschema\b|keyword|\bpropert(?:y|ies)\b|\[object/

interface Violation {
  constraint: string
  value: unknown
  /** What the message must name. */
  names?: string
}

/** A value for each constraint of the schema that it breaks. */
function violationsOf(schema: Schema, inUrl: boolean): Violation[] {
  const violations: Violation[] = []
  const add = (constraint: string, value: unknown, names?: unknown) =>
    violations.push({ constraint, value, ...(names === undefined ? {} : { names: String(names) }) })
  const types = [schema.type ?? []].flat()
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, minProperties, maxProperties } =
    schema as Record<string, number | undefined>
  if (types.length > 0 && !inUrl) add('type', types.includes('object') ? 7 : { a: 1 })
  if (types.some((type) => type === 'integer' || type === 'number') && inUrl) add('type', 'x', types[0])
  if (minLength !== undefined) add('minLength', 'x'.repeat(minLength - 1), minLength)
  if (maxLength !== undefined) add('maxLength', 'x'.repeat(maxLength + 1), maxLength)
  if (minimum !== undefined) add('minimum', minimum - 1, minimum)
  if (maximum !== undefined) add('maximum', maximum + 1, maximum)
  if (minItems !== undefined) add('minItems', [])
  if (maxItems !== undefined && !inUrl) add('maxItems', Array(maxItems + 1).fill({}), maxItems)
  if (schema.pattern !== undefined) add('pattern', '~ä~')
  if (schema.format === 'date-time') add('format', 'tomorrow', '2026-01-31T09:30:00.000Z')
  if (schema.enum) add('enum', 'no-such-value', schema.enum[0])
  if (schema.uniqueItems)
    add(
      'uniqueItems',
      [0, 0].map(() => schema.items?.enum?.[0]),
      schema.items?.enum?.[0],
    )
  if (schema.items?.enum) add('items.enum', ['no-such-value'], schema.items.enum[0])
  if (minProperties !== undefined) add('minProperties', {}, Object.keys(schema.properties ?? {})[0])
  if (maxProperties !== undefined)
    add(
      'maxProperties',
      Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, i) => [`k${i}`, 'v'])),
      maxProperties,
    )
  const { propertyNames, additionalProperties } = schema
  for (const { constraint, value, names } of propertyNames ? violationsOf(propertyNames, true) : [])
    add(`propertyNames.${constraint}`, { [`${value}`]: 'v' }, names)
  if (typeof additionalProperties === 'object')
    for (const { constraint, value, names } of violationsOf(additionalProperties, false))
      add(`additionalProperties.${constraint}`, { some: value }, names)
  if (schema.not !== undefined) add('not', (schema.not as Schema).enum?.[0] ?? 'x', 'reserved')
  return violations
}

/** A body that is valid but for the customers, schemas and clocks that it names. */
function exampleOf({ requestBody }: Operation): { schema: Schema; example: Json } | null {
  const content = requestBody?.content['application/json']
  if (!content) return null
  const schema = resolved(content.schema)
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    schema.required?.includes(name) ? [[name, resolved(field).examples?.[0] ?? 'x']] : [],
  )
  const example = content.example ?? Object.values(content.examples ?? {})[0]?.value ?? schema.examples?.[0]
  return { schema, example: (example ?? Object.fromEntries(fields)) as Json }
}

const pathOf = (path: string, changes: Record<string, string> = {}) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(
      changes[name] ?? { candidate_alias: 'some-alias', version: '1' }[name] ?? EXAMPLE_UUID,
    ),
  )

/** Those of signed-in people refuse a token before they look at anything. */
const withToken = operations.filter(({ path }) => path.startsWith('/v1/') && !/tokens|invitations/.test(path))

async function refusal(
  what: string,
  {
    names,
    ...request
  }: {
    names?: string | undefined
    method: string
    path: string
    body?: unknown
    headers?: Record<string, string>
  },
) {
  const { method, path, body, headers = {} } = request
  const answer = await api.send(method, path, body === undefined ? undefined : JSON.stringify(body), {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  })
  assert.equal(answer.status, 400, `${what}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`)
  const { details } = answer.body.error
  assert.ok(details.length > 0, what)
  for (const { path, message } of details) {
    assert.ok(path, what)
    assert.doesNotMatch(message, NOT_OURS, what)
    assert.match(message, /^(?:must|is|has|names|needs|or) /, what)
  }
  const text = JSON.stringify(details)
  if (names !== undefined) assert.ok(text.includes(names), `${what}: ${text} does not name ${names}`)
  return details
}

describe('a violated constraint of openapi.json has a message of the service', () => {
  test('in queries, paths and headers', async () => {
    let tried = 0
    for (const { method, path, parameters = [], ...operation } of withToken)
      for (const { name, schema, in: place } of parameters)
        for (const { constraint, value, names } of violationsOf(resolved(schema), true)) {
          const text = `${value}`
          if (place === 'path' && text === '') continue
          const body = exampleOf(operation)?.example
          const what = `${method} ${path} ${place} ${name}: ${constraint} ${text.slice(0, 40)}`
          // A header takes no other characters.
          const headers = place === 'header' ? { [name]: text.replaceAll('ä', ' ') } : {}
          const query = place === 'query' ? `?${new URLSearchParams({ [name]: text })}` : ''
          const at = pathOf(path, place === 'path' ? { [name]: text } : {}) + query
          if (schema.type === 'object') continue
          await refusal(what, { method, path: at, body, headers, names })
          tried++
        }
    assert.ok(tried > 150, `${tried}`)
  })

  test('in bodies', async () => {
    let tried = 0
    for (const { method, path, ...operation } of withToken) {
      const found = exampleOf(operation)
      if (!found) continue
      const { schema, example } = found
      const at = pathOf(path)
      const send = (what: string, body: unknown, names?: string) => {
        tried++
        return refusal(`${method} ${path} ${what}`, { method, path: at, body, names })
      }
      await send('type', [], 'an object')
      if (schema.additionalProperties === false) {
        const [known] = Object.keys(schema.properties ?? {})
        await send('additionalProperties', { ...example, unknown: 1 }, known)
      }
      if (schema.minProperties !== undefined) await send('minProperties', {})
      for (const name of schema.required ?? []) {
        const { [name]: _, ...rest } = example
        await send(`required ${name}`, rest, name)
      }
      if (schema.oneOf) {
        const names = schema.oneOf.flatMap(({ required = [] }) => required)
        const without = Object.fromEntries(Object.entries(example).filter(([name]) => !names.includes(name)))
        await send('oneOf', without, names.join(', '))
      }
      for (const [name, field] of Object.entries(schema.properties ?? {}))
        for (const { constraint, value, names } of violationsOf(resolved(field), false))
          if (resolved(field) !== document.components.schemas.Contract)
            await send(`${name}: ${constraint}`, { ...example, [name]: value }, names)
    }
    assert.ok(tried > 150, `${tried}`)
  })
})

describe('a message states the rule, the accepted form and the path', () => {
  const STATUSES =
    'one of OPEN, PENDING, CONFIRMED, FAILED, or up to 4 of them joined by commas, such as OPEN,PENDING'
  const QUERIES: [query: string, path: string, message: string][] = [
    ['status=open', 'status', `must be ${STATUSES}`],
    [
      'status=OPEN&status=FAILED',
      'status',
      `must be given once, as ${STATUSES}; it is given 2 times; join several values with commas: OPEN,PENDING`,
    ],
    ['limit=5&limit=6', 'limit', 'must be given once, as an integer from 1 to 100; it is given 2 times'],
    [
      'metadata[a]=1&metadata[a]=2',
      'metadata[a]',
      'must be given once, as a string of up to 500 characters; it is given 2 times',
    ],
    ['limit=0x10', 'limit', 'must be an integer from 1 to 100'],
    ['limit=101', 'limit', 'must be an integer from 1 to 100'],
    [
      'price_from=-1',
      'price_from',
      'must be a decimal without a sign, of up to 30 digits before the point and 30 after it, such as 49.50',
    ],
    ['order=DESC', 'order', 'must be one of "asc", "desc"'],
    [
      'schema_id=1',
      'schema_id',
      `must be a UUID, 32 hexadecimal digits in five groups, such as ${EXAMPLE_UUID}`,
    ],
    [
      `metadata[${'k'.repeat(41)}]=v`,
      `metadata[${'k'.repeat(41)}]`,
      'must name a key of 1 to 40 characters, such as metadata[order]',
    ],
    [
      'created_from=2026-01-01',
      'created_from',
      'must have a time of day and a zone after the date, such as 2026-01-31T09:30:00.000Z',
    ],
  ]
  for (const [query, path, message] of QUERIES)
    test(`GET /v1/claims?${query}`, async () => {
      const answer = await api.get(`/v1/claims?${query}`)
      assertError(answer, 400, 'VALIDATION_ERROR')
      assert.deepEqual(answer.body.error.details, [{ path, message }])
    })

  test('of the types of a webhook endpoint', async () => {
    const messageFor = async (types: unknown) => {
      const answer = await api.post('/v1/webhook_endpoints', { url: 'https://example.com/', types })
      assertError(answer, 400, 'VALIDATION_ERROR')
      return answer.body.error.message
    }
    assert.equal(
      await messageFor([]),
      'types: must have at least one item; omit it or send null to accept all',
    )
    assert.equal(
      await messageFor(['claim.created', 'claim.created']),
      'types: has "claim.created" twice; items must be unique',
    )
    assert.match(
      await messageFor(['claim.*']),
      /^types\[0\]: must be one of "claim\.created", "claim\.pending", /,
    )
    assert.equal(await messageFor('claim.created'), 'types: must be an array of at least one item or null')
  })

  test('of a currency', async () => {
    const { body } = await api.patch('/v1/me', { currency: 'eur' })
    const message = 'must be an upper-case ISO 4217 currency code, such as EUR or null'
    assert.deepEqual(body.error.details, [{ path: 'currency', message }])
  })

  test('of metadata', async () => {
    const customer = (metadata: unknown) => api.post('/v1/customers', { external_id: 'some', metadata })
    for (const [metadata, path, message] of [
      [{ '': 'v' }, 'metadata', 'has the key "", which must have 1 to 40 characters'],
      [{ k: 1 }, 'metadata.k', 'must be a string of up to 500 characters'],
      [
        Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`${i}k`, 'v'])),
        'metadata',
        'must have up to 50 keys',
      ],
      [[], 'metadata', 'must be an object'],
    ] as const)
      assert.deepEqual((await customer(metadata)).body.error.details, [{ path, message }])
  })

  test('of numbers of a contract that cannot be kept exactly, where a string is not accepted either', async () => {
    const send = async (contract: string) => {
      const answer = await api.send('POST', '/v1/schemas', `{"contract": ${contract}}`, {
        'Content-Type': 'application/json',
      })
      assertError(answer, 400, 'VALIDATION_ERROR')
      return answer.body.error.details[0]
    }
    const json = JSON.stringify(
      contractWith({ price: 4711, fulfillment_condition: { event: 'a', gt: 4712, match: { a: 4713 } } }),
    )
    for (const number of ['1e400', '9007199254740993', '1e-400']) {
      assert.deepEqual(await send(json.replace('4711', number)), {
        path: 'contract.price',
        message:
          "is a number that cannot be kept exactly; a contract's price must be a number from 0 to 1000000000000; up to 15 significant digits are kept exactly",
      })
      assert.deepEqual(await send(json.replace('4712', number)), {
        path: 'contract.fulfillment_condition.gt',
        message:
          'is a number that cannot be kept exactly; a contract compares only numbers of double precision; up to 15 significant digits are kept exactly',
      })
      assert.deepEqual(await send(json.replace('4713', number)), {
        path: 'contract.fulfillment_condition.match.a',
        message: 'is a number that cannot be kept exactly; send it as a string',
      })
    }
  })

  test('of events', async () => {
    const { id } = await newClaim(api)
    const detailsOf = async (event: object) =>
      (await api.post(`/v1/claims/${id}/events`, event)).body.error.details
    assert.deepEqual(await detailsOf({ type: 'activity_window_elapsed', created_at: 1 }), [
      {
        path: 'type',
        message:
          'is reserved for the service, like all of "activity_window_elapsed", "review_window_elapsed"; give the event another type',
      },
      { path: 'created_at', message: 'is reserved for the service; give the field another name' },
    ])
  })
})

describe('times of requests (§8)', () => {
  test('are accepted in the formats of other languages', async () => {
    for (const time of [
      '2026-01-01 00:00:00+00',
      '2026-01-01T01:00:00+01',
      '2026-01-01T00:00Z',
      '2026-01-01T00:00:00,0Z',
      '2026-01-01T01:00:00+0100',
    ]) {
      const { status, body } = await api.post('/v1/test_clocks', { frozen_time: time })
      assert.deepEqual([status, body.frozen_time], [201, '2026-01-01T00:00:00.000Z'], time)
    }
  })

  test('are refused with the reason, also within a simulation', async () => {
    const leap = '2016-12-31T23:59:60Z'
    const clock = await api.post('/v1/test_clocks', { frozen_time: leap })
    const message = 'names the second 60: leap seconds are not accepted'
    assert.deepEqual(clock.body.error.details, [{ path: 'frozen_time', message }])
    const simulated = await api.post('/v1/simulations', {
      contract: contractWith({}),
      events: [{ type: 'a', at: leap }],
    })
    assert.deepEqual(simulated.body.error.details, [{ path: 'events[0].at', message }])
  })

  test('in a query may have a + that was decoded as a space', async () => {
    const account = await service.newAccount()
    await newClaim(account)
    const now = new Date(Date.now() + 2 * 3_600_000 - 60_000).toISOString().replace('Z', '')
    for (const offset of ['+02:00', '%2B02:00', '+0200', '+02', ' +02:00'])
      for (const [name, count] of [
        ['created_from', 1],
        ['created_before', 0],
      ] as const) {
        const { status, body } = await account.get(`/v1/claims?${name}=${now}${offset}`)
        assert.deepEqual([status, body.data?.length], [200, count], `${name} ${offset}`)
      }
    const { body } = await account.get('/v1/overview?time_zone=Etc/GMT+5')
    assert.equal(body.time_zone, 'Etc/GMT+5')
    const refused = await account.get('/v1/claims?created_from=2026-01-01+00:00')
    assertError(refused, 400, 'VALIDATION_ERROR', 'created_from')
  })
})
