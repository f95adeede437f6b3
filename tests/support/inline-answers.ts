interface Document {
  paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>
  components: { responses?: Record<string, object> }
}

/** A copy of the OpenAPI document in which no answer is a reference to one that several operations share. */
export function inlineAnswers<D>(openApi: D): D {
  const document = structuredClone(openApi) as Document
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, { $ref }] of Object.entries(operation.responses)) {
      const name = $ref?.replace('#/components/responses/', '')
      if (name !== undefined) operation.responses[status] = document.components.responses?.[name] as object
    }
  }
  return document as D
}
