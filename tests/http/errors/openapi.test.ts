import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { sharedService } from '../../support/shared.ts'
import { type Contract, hintsOf, validateContract } from '../../support/source/contracts.ts'
import { wholeOperations } from '../../support/whole-operations.ts'

const service = await sharedService()
const anonymous = service.clientWith(null)
const { body: document } = await anonymous.get('/openapi.json')
const COMMITTED = new URL('../../../openapi.json', import.meta.url)

interface Schema {
  $ref?: string
  example?: unknown
  examples?: unknown[]
  properties?: Record<string, Schema>
}
interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  responses: Record<string, { description: string; content?: Record<string, { schema?: object }> }>
  requestBody?: {
    required: boolean
    content: Record<string, { schema: Schema; example?: unknown; examples?: object }>
  }
  parameters?: { name: string; in: string; required?: boolean; schema: object }[]
}

const operations = Object.entries(
  wholeOperations(document).paths as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method} ${path}`,
    path,
    method,
    operation,
  })),
)

/** Every contract in the document, by its path. */
function contractsIn(value: unknown, path = '$'): [string, Contract][] {
  if (value === null || typeof value !== 'object') return []
  const found = validateContract(value).length === 0 ? [[path, value as Contract] as [string, Contract]] : []
  return [...found, ...Object.entries(value).flatMap(([key, inner]) => contractsIn(inner, `${path}.${key}`))]
}

describe('the document', () => {
  test('shows no contract that raises a hint', () => {
    const contracts = contractsIn(document)
    assert.ok(contracts.length > 3)
    for (const [path, contract] of contracts) assert.deepEqual(hintsOf(contract), [], path)
  })

  test('defines each error response once', () => {
    const answers = Object.values(document.paths as Record<string, Record<string, Operation>>)
      .flatMap(Object.values)
      .flatMap(({ responses }: Operation) => Object.entries(responses))
    for (const [status, answer] of answers) assert.equal('$ref' in answer, Number(status) >= 400, status)
    const shared = Object.values(document.components.responses).map((answer) => JSON.stringify(answer))
    assert.equal(new Set(shared).size, shared.length)
  })

  test('is OpenAPI 3.1, and valid', async () => {
    assert.match(document.openapi, /^3\.1\.\d$/)
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    assert.ok(valid, JSON.stringify(errors))
    assert.equal(validator.version, '3.1')
  })

  test('has valid schemas for requests and responses', () => {
    const ajv = new Ajv2020({ strict: false })
    const answers = operations
      .flatMap(({ operation: { responses } }) => Object.values(responses))
      .flatMap(({ content = {} }) => Object.values(content))
      .map(({ schema = {} }) => schema)
    const received = operations
      .flatMap(({ operation: { requestBody } }) => Object.values(requestBody?.content ?? {}))
      .map(({ schema }) => schema)
    for (const schema of [...Object.values<object>(document.components.schemas), ...answers, ...received])
      assert.ok(ajv.validateSchema(schema), ajv.errorsText(ajv.errors))
  })

  test('has a title, a version, a description and a global bearer scheme (§5)', () => {
    const { info, components, security } = document
    for (const field of ['title', 'version', 'description']) assert.ok(info[field], field)
    const [[scheme]] = security.map(Object.keys)
    assert.deepEqual(
      [components.securitySchemes[scheme].type, components.securitySchemes[scheme].scheme],
      ['http', 'bearer'],
    )
  })

  test('gives each operation a unique camelCase id', () => {
    const ids = operations.map(({ operation }) => operation.operationId ?? '')
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[a-z]+([A-Z][a-z]+)+$/)
  })

  test('has no dangling reference', () => {
    for (const [, ref] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
      const target = (ref as string)
        .split('/')
        .slice(1)
        .reduce((at, key) => at?.[key], document)
      assert.ok(target, `${ref} leads nowhere`)
    }
  })

  test('is the committed openapi.json', { skip: !existsSync(COMMITTED) && 'not generated yet' }, async () => {
    assert.deepEqual(document, JSON.parse(await readFile(COMMITTED, 'utf8')))
  })
})

/** Operations on the record of the path, without a body. */
const ACTION_WITHOUT_BODY = /\{id\}\/(rotate_secret|test)$|^\/v1\/webhook_deliveries\/\{id\}\/redeliver$/

describe('each operation', () => {
  test('has a summary, a tag of the document, and a description for each response', () => {
    const tags = document.tags.map((tag: { name: string }) => tag.name)
    for (const { name, operation } of operations) {
      assert.ok(operation.summary, name)
      assert.ok(operation.tags?.every((tag) => tags.includes(tag)) && operation.tags.length === 1, name)
      for (const { description } of Object.values(operation.responses)) assert.ok(description, name)
    }
  })

  test('declares every parameter of its path', () => {
    for (const { name, path, operation } of operations) {
      const declared = (operation.parameters ?? []).filter((it) => it.in === 'path')
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
      assert.deepEqual(
        declared.map((it) => it.name),
        inPath,
        name,
      )
      assert.ok(
        declared.every((it) => it.required),
        name,
      )
    }
  })

  test('is under /v1, or is about health (§9 rule 1)', () => {
    for (const { path } of operations) assert.match(path, /^\/v1\/|^\/(healthz|readyz)$/)
  })

  test('under /v1 lists the errors that every path under /v1 may answer', () => {
    for (const { name, operation } of operations.filter((it) => it.path.startsWith('/v1/')))
      for (const status of ['400', '401', '429', '500', '503'])
        assert.ok(operation.responses[status], `${name}: ${status}`)
  })

  test('lists CROSS_ORIGIN_REQUEST if and only if it may change something', () => {
    for (const { name, path, method, operation } of operations) {
      const refused = path.startsWith('/v1/') && method !== 'get'
      const isNamed = /CROSS_ORIGIN_REQUEST/.test(operation.responses['403']?.description ?? '')
      assert.equal(isNamed, refused, name)
    }
  })

  test('with a request body has an example and the errors of bodies', () => {
    for (const { name, path, method, operation } of operations) {
      const hasBody = (method === 'post' && !ACTION_WITHOUT_BODY.test(path)) || method === 'patch'
      if (!hasBody) continue
      const { requestBody, responses } = operation
      assert.ok(requestBody?.required, name)
      const json = requestBody.content['application/json']
      assert.ok(json && (json.example || json.examples || hasExample(json.schema)), `${name}: no example`)
      for (const status of ['413', '415']) assert.ok(responses[status], `${name}: ${status}`)
    }
  })
})

test('a stream of events is documented as lines, in the request and the response (§4.3)', () => {
  const { requestBody, responses, operationId } = document.paths['/v1/events/batch#stream'].post
  assert.equal(operationId, 'submitEventLines')
  const lines = requestBody.content['application/x-ndjson'].schema
  assert.equal(lines.type, 'string')
  assert.deepEqual(lines['x-line-schema'], { $ref: '#/components/schemas/AddressedSubmission' })
  const [success] = responses['200'].content['application/x-ndjson'].schema['x-line-schema'].anyOf
  assert.deepEqual(success, { $ref: '#/components/schemas/EventResult' })
  assert.deepEqual(document.components.schemas.EventResult.required, ['status'])
})

interface Node {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  pattern?: string
  format?: string
  properties?: Record<string, { default?: unknown }>
  required?: string[]
}

/** Each schema of the document, without examples of data. */
function* schemasIn(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield node
  for (const [key, value] of Object.entries(node))
    if (!['example', 'examples', 'enum', 'default'].includes(key)) yield* schemasIn(value)
}

describe('for code generators', () => {
  const schemas = [...schemasIn(document)]

  test('enums and constants have types, and UUIDs their format', () => {
    const enums = schemas.filter((one) => Array.isArray(one.enum) || typeof one.const === 'string')
    assert.ok(enums.length > 20)
    for (const { type, enum: values = [] } of enums) {
      const types = new Set(values.map((value) => (value === null ? 'null' : typeof value)))
      assert.ok(type && [...types].every((one) => [type].flat().includes(one)), JSON.stringify(values))
    }
    const uuids = schemas.filter(({ pattern }) => pattern?.includes('{8}(-') && !pattern.includes('|'))
    assert.ok(uuids.length > 20)
    for (const { format } of uuids) assert.equal(format, 'uuid')
  })

  test('an optional property has no default, and an object with any keys has additionalProperties', () => {
    for (const { type, properties, required = [], ...others } of schemas) {
      if (![type].flat().includes('object')) continue
      assert.ok(properties || 'additionalProperties' in others, JSON.stringify(others))
      for (const [name, property] of Object.entries(properties ?? {}))
        assert.ok(required.includes(name) || property.default === undefined, name)
    }
    assert.match(
      document.components.schemas.ConditionLeaf.properties.field.description,
      /Default: "value"\.$/,
    )
  })

  test('each body has one media type, and a body of JSON is a component', () => {
    for (const methods of Object.values(document.paths as Record<string, Record<string, Operation>>)) {
      for (const { requestBody, responses, operationId = '' } of Object.values(methods)) {
        const bodies = [requestBody, ...Object.values(responses)].flatMap(
          (body): Record<string, { schema?: Schema }>[] => (body?.content ? [body.content] : []),
        )
        for (const content of bodies) {
          assert.equal(Object.keys(content).length, 1, operationId)
          const json = content['application/json']?.schema
          if (json) assert.match(json.$ref ?? '', /^#\/components\/schemas\/[A-Z][A-Za-z]+$/, operationId)
        }
      }
    }
  })

  test('repeated objects and parameters are components', () => {
    const objects = schemas.filter(({ type, properties }) => type === 'object' && properties)
    const parameters = Object.values(document.paths as Record<string, Record<string, Operation>>)
      .flatMap(Object.values)
      .flatMap(({ parameters = [] }: Operation) => parameters)
      .filter((one) => !('$ref' in one))
    for (const written of [objects, parameters]) {
      const texts = written.map((one) => JSON.stringify(one))
      assert.deepEqual(
        texts.filter((text, i) => texts.indexOf(text) !== i),
        [],
      )
    }
  })
})

describe('GET /docs', () => {
  test('answers HTML that loads nothing from another host', async () => {
    const page = await fetch(`${service.url}/docs`)
    const html = await page.text()
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.doesNotMatch(html, /https?:\/\//i)
    assert.doesNotMatch(html, /(src|href)\s*=\s*["']?\/\//i)
    assert.doesNotMatch(html, /@import|url\(/i)
    for (const setting of [/"withDefaultFonts":\s*false/, /"telemetry":\s*false/]) assert.match(html, setting)
    for (const asking of ['proxyUrl', '"cdn"']) assert.ok(!html.includes(asking), asking)
  })

  test('loads its script and its document from this server', async () => {
    const page = await fetch(`${service.url}/docs`)
    const html = await page.text()
    const script = /<script src="([^"]+)"/.exec(html)?.[1] ?? ''
    const source = await fetch(new URL(script, page.url))
    assert.equal(source.status, 200)
    assert.match(source.headers.get('content-type') ?? '', /javascript/)
    assert.ok((await source.text()).length > 100_000)
    const url = /"url":\s*"([^"]+)"/.exec(html)?.[1] ?? ''
    const read = await fetch(new URL(url, page.url))
    assert.deepEqual(await read.json(), document)
  })
})

/** An example of its own, or one for each of its properties. */
function hasExample(schema: Schema): boolean {
  if (schema.example !== undefined || schema.examples?.length) return true
  if (schema.$ref)
    return hasExample(
      schema.$ref
        .split('/')
        .slice(1)
        .reduce((at, key) => at[key], document),
    )
  const properties = Object.values(schema.properties ?? {})
  return properties.length > 0 && properties.every(hasExample)
}
