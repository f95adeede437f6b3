/** A server-sent event. Without data, only the id is new. */
export interface StreamedEvent {
  id: string | null
  data: string
}

/** Yields the events that arrived together. It reads a fetch response in place of an EventSource, because fetch gives the
 * status of a refused stream and can be aborted.
 */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent[]> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() as string
      yield blocks.map(toEvent)
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

function toEvent(block: string): StreamedEvent {
  const lines = block.split('\n')
  const valuesOf = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2))
  return { id: valuesOf('id').at(-1) ?? null, data: valuesOf('data').join('\n') }
}
