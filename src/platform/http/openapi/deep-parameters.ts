/** The keywords that are read here. */
interface Parameter {
  in: string
  name: string
  schema?: object
  description?: string
  example?: unknown
}
interface Document {
  paths?: Record<string, Record<string, { parameters?: Parameter[] }>>
}

const DEEP_OBJECT_NAME = /^(\w+)\[key\]$/

/** Describes the parameter `metadata[key]`, whose key the caller chooses, as OpenAPI's `deepObject`. */
export function deepenParameters<D extends object>(openapiObject: D): D {
  const document: Document = openapiObject
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path)))
    if (operation.parameters) operation.parameters = operation.parameters.map(deepen)
  return openapiObject
}

function deepen(parameter: Parameter) {
  const [, name] = DEEP_OBJECT_NAME.exec(parameter.name) ?? []
  if (name === undefined || parameter.in !== 'query') return parameter
  const { schema, example, ...rest } = parameter
  return {
    ...rest,
    name,
    style: 'deepObject',
    explode: true,
    schema: { type: 'object', additionalProperties: schema },
    example,
  }
}
