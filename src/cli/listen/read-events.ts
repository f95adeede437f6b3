/** A block of the stream. Each has one of the two at least. */
export interface StreamEvent {
  /** Where the stream goes on after it. */
  cursor: string | null
  /** A notification, as the service has written it. */
  json: string | null
}

/** Far more than a notification may have. */
const MAX_EVENT_LENGTH = 16 * 1_048_576

/** What the service sends as server-sent events (§4.13). */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() as string
    if (text.length > MAX_EVENT_LENGTH) throw new Error('an event without end')
    for (const block of blocks) {
      const event = readBlock(block)
      if (event.cursor !== null || event.json !== null) yield event
    }
  }
}

function readBlock(block: string): StreamEvent {
  const lines = block.split('\n')
  const fieldOf = (field: string) => {
    const line = lines.find((line) => line.startsWith(`${field}: `))
    return line === undefined ? null : line.slice(field.length + 2)
  }
  return { cursor: fieldOf('id'), json: fieldOf('data') }
}
