import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { wholeOperations } from '../../tests/support/whole-operations.ts'

/** A JSON Schema, as far as the fuzzer reads it. */
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
  /** Of a text in lines: of each. */
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

export interface Answers {
  content?: Record<string, Content>
  headers?: Record<string, { schema: Schema; required?: boolean }>
}

interface RawOperation {
  operationId: string
  security?: object[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, Answers>
}

/** What the service says of one of its operations. */
export interface Operation {
  id: string
  method: string
  /** With its parameters in braces. */
  path: string
  parameters: Parameter[]
  /** By media type; empty if it takes none. */
  bodies: Record<string, Content>
  /** By status. */
  responses: Record<string, Answers>
  /** Whom it lets in: anyone, a token or a session, a session alone. */
  access: 'anyone' | 'account' | 'session'
}

interface RawDocument {
  paths: Record<string, Record<string, RawOperation>>
  components: { schemas: Record<string, Schema> }
  security?: object[]
}

/** The service's OpenAPI document: all that the fuzzer knows of the service. */
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

  /** The schema, or the component that it names. */
  resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1)
    return name === undefined ? schema : (this.#schemas[name] as Schema)
  }

  /** What is wrong with the value; null if nothing is. */
  flawOf(value: unknown, schema: Schema): string | null {
    const validate = this.#validators.get(schema) ?? this.#compile(schema)
    return validate(value) ? null : this.#ajv.errorsText(validate.errors)
  }

  /** Operations that a path as it is sent belongs to, the closest first. A parameter may be empty: that is refused later. */
  operationsAt(path: string): Operation[] {
    const segments = path.split('/')
    const found = this.operations.filter((operation) => {
      const wanted = operation.path.split('/')
      return (
        wanted.length === segments.length &&
        wanted.every((part, i) => part.startsWith('{') || part === segments[i])
      )
    })
    // /v1/claims/export is not the claim named export, but for methods that only a claim has.
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
  const needs = security?.flatMap((one) => Object.keys(one))
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    parameters,
    bodies: requestBody?.content ?? {},
    responses,
    access: needs === undefined ? 'account' : needs.length === 0 ? 'anyone' : 'session',
  }
}

/** The codes that a status of an operation stands for. */
export const codesOf = (answers: Answers | undefined): string[] =>
  Object.keys(answers?.content?.['application/json']?.examples ?? {})
