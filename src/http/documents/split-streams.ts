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

/** How an operation is called whose bodies come as a stream. */
export interface Stream {
  mediaType: string
  operationId: string
  summary: string
  description: string
}

/**
 * An operation that takes or answers JSON and streams becomes two: generators of code make one function of an operation, with one
 * type of answer. OpenAPI tells operations apart by path and method, so that of the stream has a fragment behind its path, which
 * no client sends.
 * @param streams by the operation that they belong to
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

/** The operation with bodies of these media types; errors have JSON in any case. */
function only(operation: Operation, isWanted: (mediaType: string) => boolean): Operation {
  const { requestBody, responses = {} } = operation
  const ofBody = <B extends Body>(body: B): B => {
    const content = Object.entries(body.content ?? {})
    const wanted = content.filter(([type]) => isWanted(type))
    return wanted.length > 0 ? { ...body, content: Object.fromEntries(wanted) } : body
  }
  return {
    ...operation,
    ...(requestBody ? { requestBody: ofBody(requestBody) } : {}),
    responses: Object.fromEntries(Object.entries(responses).map(([status, body]) => [status, ofBody(body)])),
  }
}
