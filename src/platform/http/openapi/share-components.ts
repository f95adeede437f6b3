/* Only the fields of an OpenAPI document that this file reads. */

interface Schema {
  $ref?: string
  title?: string
  type?: string | string[]
  properties?: object
}
interface Parameter {
  $ref?: string
  in: string
  name: string
  description?: string
}
interface Media {
  schema?: Schema
}
interface Operation {
  operationId?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses?: Record<string, { content?: Record<string, Media> }>
}
interface Document {
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

/**
 * Moves schemas and parameters to the components of the document, so that code generators create one named type for each. Moves
 * schemas whose title is a name, JSON bodies, and parameters that several operations have. A body without a title is named after its
 * operation.
 */
export function shareComponents<D extends object>(openapiObject: D): D {
  const document: Document = openapiObject
  const schemas = document.components?.schemas ?? {}
  for (const operation of operationsOf(document)) setTitles(operation)
  shareTitled(document, schemas)
  const parameters = shareParameters(operationsOf(document))
  document.components = { ...document.components, schemas, parameters }
  return openapiObject
}

const operationsOf = ({ paths = {} }: Document): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods))

const toPascalCase = (words: string): string =>
  words
    .replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/\W/g, '')

function setTitles({ operationId = '', requestBody, responses = {} }: Operation): void {
  const name = toPascalCase(operationId)
  for (const { schema } of Object.values(requestBody?.content ?? {})) setTitle(schema, `${name}Request`)
  for (const { content = {} } of Object.values(responses))
    for (const { schema } of Object.values(content)) setTitle(schema, `${name}Response`)
}

function setTitle(schema: Schema | undefined, name: string): void {
  if (schema?.type === 'object' && schema.properties) schema.title ??= name
}

/** Text to compare schemas. Without examples, because a request body has them beside the reference to its schema. */
const textOf = (schema: Schema) => JSON.stringify({ ...schema, examples: undefined })

const IS_NAME = /^[A-Z][A-Za-z]+$/

/** Replaces each schema whose title is a name by a reference to a component with this name. */
function shareTitled(document: Document, schemas: Record<string, Schema>): void {
  const share = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node
    if (Array.isArray(node)) return node.map(share)
    const { title, ...schema } = shareWithin(node) as Schema
    if (typeof title !== 'string' || !IS_NAME.test(title) || !('type' in schema || 'anyOf' in schema))
      return title === undefined ? schema : { title, ...schema }
    const known = schemas[title]
    if (known && textOf(known) !== textOf(schema)) throw new Error(`two schemas are called ${title}`)
    if (!known || 'examples' in schema) schemas[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }
  const shareWithin = (node: object) =>
    Object.fromEntries(Object.entries(node).map(([key, value]) => [key, share(value)]))
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = shareWithin(schema)
  if (document.paths) document.paths = share(document.paths) as NonNullable<Document['paths']>
}

/** A distinct parameter. */
interface CountedParameter {
  parameter: Parameter
  /** The first tag of the first operation that has the parameter. */
  tag: string
  /** The number of operations that have the parameter. */
  count: number
}

function shareParameters(operations: readonly Operation[]): Record<string, Parameter> {
  const counted = new Map<string, CountedParameter>()
  for (const { parameters = [], tags = [] } of operations) {
    for (const parameter of parameters) {
      const text = JSON.stringify(parameter)
      const known = counted.get(text)
      if (known) known.count++
      else counted.set(text, { parameter, tag: tags[0] ?? '', count: 1 })
    }
  }
  const repeated = [...counted.values()].filter(({ count }) => count > 1)
  const names = new Map(
    repeated.map((counted) => [JSON.stringify(counted.parameter), nameOf(counted, repeated)]),
  )
  if (new Set(names.values()).size < names.size)
    throw new Error(`two parameters have one name: ${[...names.values()]}`)
  for (const operation of operations) {
    if (!operation.parameters) continue
    operation.parameters = operation.parameters.map((parameter) => {
      const name = names.get(JSON.stringify(parameter))
      return name === undefined ? parameter : ({ $ref: `#/components/parameters/${name}` } as Parameter)
    })
  }
  return Object.fromEntries(repeated.map((counted) => [nameOf(counted, repeated), counted.parameter]))
}

/**
 * The name of a component. A path parameter is named by the noun of its description ("The claim."). If several parameters have the
 * same name, their tag is a prefix, except for the most frequent parameter.
 */
function nameOf({ parameter, tag, count }: CountedParameter, all: readonly CountedParameter[]): string {
  const { in: place, name, description = '' } = parameter
  const [, noun = ''] = (place === 'path' && /^The ([\w ]+)\.$/.exec(description)) || []
  const others = all.filter((other) => other.parameter.name === name && other.parameter !== parameter)
  const isMostFrequent = noun !== '' || others.every((other) => other.count < count)
  return toPascalCase(`${isMostFrequent ? noun : tag} ${name} ${place}`)
}
