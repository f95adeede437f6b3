/** The keywords that are read here. */
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
 * Makes components, so that code generators create one named type for each: of schemas whose title is a name, of JSON bodies (named
 * after their operation if they have no title), and of repeated parameters.
 */
export function shareComponents<D extends object>(openapiObject: D): D {
  const document: Document = openapiObject
  const schemas = document.components?.schemas ?? {}
  for (const operation of operationsOf(document)) nameBodies(operation)
  shareTitled(document, schemas)
  const parameters = shareParameters(operationsOf(document))
  document.components = { ...document.components, schemas, parameters }
  return openapiObject
}

const operationsOf = ({ paths = {} }: Document): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods))

const pascal = (words: string): string =>
  words
    .replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/\W/g, '')

function nameBodies({ operationId = '', requestBody, responses = {} }: Operation): void {
  const name = pascal(operationId)
  for (const { schema } of Object.values(requestBody?.content ?? {})) nameBody(schema, `${name}Request`)
  for (const { content = {} } of Object.values(responses))
    for (const { schema } of Object.values(content)) nameBody(schema, `${name}Response`)
}

function nameBody(schema: Schema | undefined, name: string): void {
  if (schema?.type === 'object' && schema.properties) schema.title ??= name
}

/** Without examples: in request bodies they stand beside the schema. */
const textOf = (schema: Schema) => JSON.stringify({ ...schema, examples: undefined })

const IS_NAME = /^[A-Z][A-Za-z]+$/

/** Replaces each titled schema by a reference. Existing components keep their titles. */
function shareTitled(document: Document, schemas: Record<string, Schema>): void {
  const share = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node
    if (Array.isArray(node)) return node.map(share)
    const { title, ...schema } = sharedWithin(node) as Schema
    if (typeof title !== 'string' || !IS_NAME.test(title) || !('type' in schema || 'anyOf' in schema))
      return title === undefined ? schema : { title, ...schema }
    const known = schemas[title]
    if (known && textOf(known) !== textOf(schema)) throw new Error(`two schemas are called ${title}`)
    if (!known || 'examples' in schema) schemas[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }
  const sharedWithin = (node: object) =>
    Object.fromEntries(Object.entries(node).map(([key, value]) => [key, share(value)]))
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = sharedWithin(schema)
  if (document.paths) document.paths = share(document.paths) as NonNullable<Document['paths']>
}

/** A parameter that several operations may have. */
interface Shared {
  parameter: Parameter
  tag: string
  count: number
}

function shareParameters(operations: readonly Operation[]): Record<string, Parameter> {
  const shared = new Map<string, Shared>()
  for (const { parameters = [], tags = [] } of operations) {
    for (const parameter of parameters) {
      const text = JSON.stringify(parameter)
      const known = shared.get(text)
      if (known) known.count++
      else shared.set(text, { parameter, tag: tags[0] ?? '', count: 1 })
    }
  }
  const repeated = [...shared.values()].filter(({ count }) => count > 1)
  const names = new Map(repeated.map((one) => [JSON.stringify(one.parameter), nameOf(one, repeated)]))
  if (new Set(names.values()).size < names.size)
    throw new Error(`two parameters have one name: ${[...names.values()]}`)
  for (const operation of operations) {
    if (!operation.parameters) continue
    operation.parameters = operation.parameters.map((parameter) => {
      const name = names.get(JSON.stringify(parameter))
      return name === undefined ? parameter : ({ $ref: `#/components/parameters/${name}` } as Parameter)
    })
  }
  return Object.fromEntries(repeated.map((one) => [nameOf(one, repeated), one.parameter]))
}

/** Named by the noun of its description ("The claim."), or by its name. If a name has several meanings, rarer ones get their tag as prefix. */
function nameOf({ parameter, tag, count }: Shared, all: readonly Shared[]): string {
  const { in: place, name, description = '' } = parameter
  const [, noun = ''] = (place === 'path' && /^The ([\w ]+)\.$/.exec(description)) || []
  const others = all.filter((other) => other.parameter.name === name && other.parameter !== parameter)
  const isMostFrequent = noun !== '' || others.every((other) => other.count < count)
  return pascal(`${isMostFrequent ? noun : tag} ${name} ${place}`)
}
