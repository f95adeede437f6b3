/** An event of a stream of server-sent events; without data only its id is news. */
export interface StreamedEvent {
  id: string | null
  data: string
}

/**
 * The events of such a stream, as many at a time as came together. Unlike the browser's own EventSource it is read from an
 * answer of fetch, which tells why a stream was refused, and goes out with what asked for it.
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
