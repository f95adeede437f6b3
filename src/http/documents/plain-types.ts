import { UUID_PATTERN } from '../../domain/uuid.ts'

/** As far as it is read here. */
interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  pattern?: string
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  default?: unknown
}

/** What is data of callers, and no schema. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'security', 'required'])

/**
 * Says in the document what generators of code do not infer: the types of enums, the format of UUIDs, and that an object without
 * named properties may have any. The default of an optional property is said in words: generators make of `default` that the
 * property is always there, in requests too.
 */
export function plainTypes<D extends object>(openapiObject: D): D {
  visit(openapiObject)
  return openapiObject
}

function visit(node: object): void {
  if (!Array.isArray(node)) complete(node)
  for (const [key, value] of Object.entries(node))
    if (typeof value === 'object' && value !== null && !DATA.has(key)) visit(value)
}

/** Of a node that is no schema nothing is changed: it has none of these. */
function complete(schema: Schema): void {
  const values = Array.isArray(schema.enum)
    ? schema.enum
    : typeof schema.const === 'string'
      ? [schema.const]
      : []
  if (schema.type === undefined && values.length > 0) schema.type = typesOf(values)
  if (schema.pattern === UUID_PATTERN) schema.format = 'uuid'
  const isObject = schema.type === 'object' || (Array.isArray(schema.type) && schema.type.includes('object'))
  if (isObject && schema.properties === undefined && !('additionalProperties' in schema))
    Object.assign(schema, { additionalProperties: true })
  if (isObject) defaultsInWords(schema)
}

function typesOf(values: readonly unknown[]): string | string[] {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  return types.length === 1 ? (types[0] as string) : types
}

function defaultsInWords({ properties = {}, required = [] }: Schema): void {
  for (const [name, property] of Object.entries(properties)) {
    if (property.default === undefined || required.includes(name)) continue
    const { default: value, ...others } = property
    const description = `${property.description ?? ''} Default: ${JSON.stringify(value)}.`.trim()
    properties[name] = { ...others, description }
  }
}
