interface ResponseObject {
  content?: Record<string, { examples?: Record<string, unknown> }>
}

/** The keywords that are read here. */
interface Document {
  paths?: Record<string, Record<string, { responses?: Record<string, ResponseObject | { $ref: string }> }>>
  components?: { responses?: Record<string, ResponseObject> }
}

/** Makes error responses components, named by their codes: forty operations refer to the same few. */
export function shareErrors<D extends object>(openapiObject: D): D {
  const document: Document = openapiObject
  const shared: Record<string, ResponseObject> = {}
  for (const operations of Object.values(document.paths ?? {})) {
    for (const { responses = {} } of Object.values(operations)) {
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) < 400 || '$ref' in response) continue
        const name = Object.keys(response.content?.['application/json']?.examples ?? {}).join('.')
        if (name === '') continue
        shared[name] = response
        responses[status] = { $ref: `#/components/responses/${name}` }
      }
    }
  }
  document.components = { ...document.components, responses: shared }
  return openapiObject
}
