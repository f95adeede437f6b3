interface Body {
  $ref?: string
  content?: object
}
interface Operation {
  parameters?: { $ref?: string }[]
  requestBody?: Body
  responses: Record<string, Body>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { responses?: Record<string, object>; parameters?: Record<string, object> }
}

/**
 * A copy of the OpenAPI document with complete operations: references to shared parameters and responses are resolved, and
 * the stream variant of an operation, at the same path with a fragment, is merged into it.
 */
export function wholeOperations<D>(openApi: D): D {
  const document = structuredClone(openApi) as Document
  const { paths, components } = document
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    operation.parameters = operation.parameters?.map((one) => shared(one, components.parameters)) ?? []
    for (const [status, answer] of Object.entries(operation.responses))
      operation.responses[status] = shared(answer, components.responses)
  }
  for (const [path, methods] of Object.entries(paths)) {
    const [base = '', fragment] = path.split('#')
    if (fragment === undefined) continue
    delete paths[path]
    for (const [method, stream] of Object.entries(methods))
      addStream(paths[base]?.[method] as Operation, stream)
  }
  return document as D
}

function shared<One extends { $ref?: string }>(one: One, components: Record<string, object> = {}): One {
  return one.$ref === undefined ? one : (components[one.$ref.split('/').at(-1) as string] as One)
}

function addStream(operation: Operation, { requestBody, responses }: Operation): void {
  if (operation.requestBody) Object.assign(operation.requestBody.content ?? {}, requestBody?.content)
  for (const [status, { content = {} }] of Object.entries(responses))
    if (Number(status) < 300) Object.assign(operation.responses[status]?.content ?? {}, content)
}
