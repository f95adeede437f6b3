interface Body {
  content?: Record<string, unknown>
}
interface Operation {
  operationId?: string
  requestBody?: Body
  responses?: Record<string, Body>
}
interface Document {
  paths?: Record<string, Record<string, Operation>>
}

/** The names of an operation whose bodies are streams. */
export interface Stream {
  mediaType: string
  operationId: string
  summary: string
  description: string
}

/**
 * Splits an operation with JSON and stream bodies in two: code generators create one function with one response type for each
 * operation. OpenAPI identifies operations by path and method, so the path of the stream gets a fragment, which clients do not send.
 * @param streams by the id of their operation
 */
export function splitStreams<D extends object>(openapiObject: D, streams: Record<string, Stream>): D {
  const document: Document = openapiObject
  for (const [path, methods] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(methods)) {
      const stream = streams[operation.operationId ?? '']
      if (!stream || !document.paths) continue
      const { mediaType, ...names } = stream
      document.paths[`${path}#stream`] = {
        [method]: { ...only(operation, (type) => type === mediaType), ...names },
      }
      methods[method] = only(operation, (type) => type !== mediaType)
    }
  }
  return openapiObject
}

/** The operation with only bodies of these media types. Errors are always JSON. */
function only(operation: Operation, isIncluded: (mediaType: string) => boolean): Operation {
  const { requestBody, responses = {} } = operation
  const splitBody = <B extends Body>(body: B): B => {
    const content = Object.entries(body.content ?? {})
    const included = content.filter(([type]) => isIncluded(type))
    return included.length > 0 ? { ...body, content: Object.fromEntries(included) } : body
  }
  return {
    ...operation,
    ...(requestBody ? { requestBody: splitBody(requestBody) } : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, body]) => [status, splitBody(body)]),
    ),
  }
}
