import type { FastifyReply } from 'fastify'
import { runCooperatively } from '../../concurrency/cooperative.ts'
import { RESPONSE_CHUNK_BYTES } from '../limits.ts'
import { sendStream } from './response-stream.ts'

/** Items in memory, or items that are read in pages. */
type List = Iterable<unknown> | AsyncIterable<Iterable<unknown>>

/** A value that is JSON already. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** An object whose fields may be JSON text. Undefined fields are omitted, as in JSON. */
  static ofObject(fields: object): JsonText {
    let text = '{'
    for (const [name, value] of definedFields(fields)) text += `${nameAfter(text, name)}${toText(value)}`
    return new JsonText(`${text}}`)
  }
}

/** Makes the JSON in a task of its own: hundreds of submissions of one commit are answered at the same moment. */
export const toJsonInTurn = (make: () => unknown): Promise<string> => runCooperatively(inAStep(make))

function* inAStep(make: () => unknown): Generator<void, string> {
  yield
  return toText(make())
}

/**
 * Sends an object whose lists may be long, item by item. Other requests are handled between the items. The next items
 * are read when the client has received the items before.
 */
export function sendJson(reply: FastifyReply, body: Record<string, unknown>): Promise<FastifyReply> {
  return sendStream(reply.type('application/json; charset=utf-8'), toJson(body))
}

async function* toJson(body: Record<string, unknown>): AsyncGenerator<string, undefined> {
  let text = '{'
  let isFirst = true
  for (const [name, value] of definedFields(body)) {
    text += nameAfter(isFirst ? '{' : ',', name)
    isFirst = false
    if (!isList(value)) {
      text += toText(value)
      continue
    }
    let separator = '['
    for await (const items of itemTexts(value)) {
      yield text + separator + items
      text = ''
      separator = ','
    }
    text += separator === '[' ? '[]' : ']'
  }
  yield `${text}}`
}

async function* itemTexts(list: List): AsyncGenerator<string> {
  if (Symbol.iterator in list) yield* textsOf(list)
  else for await (const items of list) yield* textsOf(items)
}

/** Cooperatively: serializing many items takes long. */
async function* textsOf(items: Iterable<unknown>): AsyncGenerator<string> {
  const iterator = items[Symbol.iterator]()
  for (;;) {
    const text = await runCooperatively(takeItems(iterator))
    if (text === '') return
    yield text
  }
}

/** The JSON of the next items, up to about a chunk. Empty at the end. */
function* takeItems(items: Iterator<unknown>): Generator<void, string> {
  let text = ''
  while (text.length < RESPONSE_CHUNK_BYTES) {
    const { done, value } = items.next()
    if (done) break
    text += text === '' ? toText(value) : `,${toText(value)}`
    yield
  }
  return text
}

const definedFields = (body: object) => Object.entries(body).filter(([, value]) => value !== undefined)

const nameAfter = (before: string, name: string) => `${before === '{' ? '' : ','}${JSON.stringify(name)}:`

const toText = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value))

const isList = (value: unknown): value is List =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
