import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { wholeOperations } from '../../tests/support/whole-operations.ts'

/** The parts of JSON Schema that the fuzzer uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  oneOf?: Schema[]
  anyOf?: Schema[]
  not?: Schema
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  exclusiveMaximum?: number
  pattern?: string
  format?: string
  examples?: unknown[]
  dependentSchemas?: Record<string, Schema>
  dependentRequired?: Record<string, string[]>
  /** The schema of each line of NDJSON. */
  'x-line-schema'?: Schema
}

export interface Parameter {
  in: 'path' | 'query' | 'header'
  name: string
  schema: Schema
  example?: unknown
}

interface Content {
  schema: Schema
  example?: unknown
  examples?: Record<string, unknown>
}

export interface ResponseObject {
  content?: Record<string, Content>
  headers?: Record<string, { schema: Schema; required?: boolean }>
}

interface RawOperation {
  operationId: string
  security?: object[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, ResponseObject>
}

/** An operation of the OpenAPI document. */
export interface Operation {
  id: string
  method: string
  /** With parameters in braces. */
  path: string
  parameters: Parameter[]
  /** By media type. Empty without a request body. */
  bodies: Record<string, Content>
  /** By status. */
  responses: Record<string, ResponseObject>
  /** `account`: a token or a session. */
  access: 'anyone' | 'account' | 'session'
}

interface RawDocument {
  paths: Record<string, Record<string, RawOperation>>
  components: { schemas: Record<string, Schema> }
  security?: object[]
}

/** The service's OpenAPI document: the only input of the fuzzer. */
export class ApiDocument {
  readonly operations: readonly Operation[]
  readonly #schemas: Record<string, Schema>
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false })
  readonly #validators = new Map<object, ValidateFunction>()

  constructor(raw: unknown) {
    const { paths, components } = wholeOperations(raw as RawDocument)
    this.#schemas = components.schemas
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'openapi', components })
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => toOperation(method, path, operation)),
    )
  }

  static async of(url: string): Promise<ApiDocument> {
    return new ApiDocument(await (await fetch(`${url}/openapi.json`)).json())
  }

  operation(id: string): Operation {
    const found = this.operations.find((operation) => operation.id === id)
    if (!found) throw new Error(`openapi.json has no operation ${id}`)
    return found
  }

  /** Resolves a reference to a component. */
  resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1)
    return name === undefined ? schema : (this.#schemas[name] as Schema)
  }

  /** Why the value does not match the schema. Null if it does. */
  schemaViolation(value: unknown, schema: Schema): string | null {
    const validate = this.#validators.get(schema) ?? this.#compile(schema)
    return validate(value) ? null : this.#ajv.errorsText(validate.errors)
  }

  /** The operations whose paths match, literal ones first. A parameter may be empty: the operation refuses it. */
  operationsAt(path: string): Operation[] {
    const segments = path.split('/')
    const found = this.operations.filter((operation) => {
      const wanted = operation.path.split('/')
      return (
        wanted.length === segments.length &&
        wanted.every((part, i) => part.startsWith('{') || part === segments[i])
      )
    })
    // /v1/claims/export is also the claim "export", for methods that only a claim has.
    return found.sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
  }

  #compile(schema: Schema): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')
    const validate = this.#ajv.compile(JSON.parse(text))
    this.#validators.set(schema, validate)
    return validate
  }
}

function toOperation(method: string, path: string, raw: RawOperation): Operation {
  const { operationId, parameters = [], requestBody, responses, security } = raw
  const schemes = security?.flatMap((requirement) => Object.keys(requirement))
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    parameters,
    bodies: requestBody?.content ?? {},
    responses,
    access: schemes === undefined ? 'account' : schemes.length === 0 ? 'anyone' : 'session',
  }
}

/** The documented error codes of a status. */
export const errorCodesOf = (answers: ResponseObject | undefined): string[] =>
  Object.keys(answers?.content?.['application/json']?.examples ?? {})
