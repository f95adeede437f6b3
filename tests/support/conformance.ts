import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { wholeOperations } from './whole-operations.ts'

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: object }
}
interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

/** Checks every response of a test against the published OpenAPI document. */
export class Conformance {
  readonly #document: OpenApi
  // The document itself is checked in tests/http/errors/openapi.test.ts: here that would take most of the time.
  readonly #ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  })
  readonly #validators = new Map<object, ValidateFunction>()

  constructor(document: unknown) {
    this.#document = wholeOperations(document as OpenApi)
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'openapi', components: this.#document.components })
  }

  check(method: string, path: string, status: number, body: unknown): void {
    const operation = this.#findOperation(method, path)
    if (!operation) return
    const response = operation.responses[status]
    assert.ok(response, `${method} ${path} answers ${status}, which openapi.json does not know`)
    const schema = response.content?.['application/json']?.schema
    if (!schema) {
      if (response.content) return
      assert.equal(body, undefined, `${method} ${path} ${status} has a body`)
      return
    }
    const validate = this.#validators.get(schema) ?? this.#compile(schema)
    assert.ok(validate(body), `${method} ${path} ${status}: ${this.#ajv.errorsText(validate.errors)}`)
  }

  #findOperation(method: string, path: string): Operation | undefined {
    const segments = path.split(/[?#]/)[0]?.split('/') ?? []
    const found = Object.entries(this.#document.paths).filter(([template]) => {
      const wanted = template.split('/')
      return (
        wanted.length === segments.length &&
        wanted.every((part, i) => part.startsWith('{') || part === segments[i])
      )
    })
    // /v1/claims/export is not a claim with the id `export`.
    const exact = found.find(([template]) => template === segments.join('/'))
    return (exact ?? found[0])?.[1][method.toLowerCase()]
  }

  #compile(schema: object): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')
    const validate = this.#ajv.compile(JSON.parse(text))
    this.#validators.set(schema, validate)
    return validate
  }
}
