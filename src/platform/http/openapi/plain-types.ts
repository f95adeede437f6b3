import { UUID_PATTERN } from '../../../kernel/uuid.ts'

/** The keywords that are read here. */
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

/** Keys whose values are data, not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'security', 'required'])

/**
 * Adds what code generators do not infer: types of enums, the format of UUIDs, and `additionalProperties` of objects without
 * named properties. Moves the default of an optional property into its description: generators take a property with `default`
 * as always present, also in requests.
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

/** Changes nothing on nodes that are not schemas: they have none of these keywords. */
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
  if (isObject) describeDefaults(schema)
}

function typesOf(values: readonly unknown[]): string | string[] {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  return types.length === 1 ? (types[0] as string) : types
}

function describeDefaults({ properties = {}, required = [] }: Schema): void {
  for (const [name, property] of Object.entries(properties)) {
    if (property.default === undefined || required.includes(name)) continue
    const { default: value, ...others } = property
    const description = `${property.description ?? ''} Default: ${JSON.stringify(value)}.`.trim()
    properties[name] = { ...others, description }
  }
}
