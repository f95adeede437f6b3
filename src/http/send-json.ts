import type { FastifyReply } from 'fastify'
import { inSlices } from '../app/in-slices.ts'
import { sendPieces } from './send-pieces.ts'
import { CHUNK_BYTES } from './shared-answer.ts'

/** Items that are there, or that are read a few at a time. */
type List = Iterable<unknown> | AsyncIterable<Iterable<unknown>>

/** JSON that goes into the answer as it is. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** An object, some of whose fields may be JSON already. */
  static ofObject(fields: object): JsonText {
    let text = ''
    for (const [name, value] of Object.entries(fields)) {
      text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:`
      // Added by itself: what is long is not copied yet.
      text += itemToJson(value)
    }
    return new JsonText(`${text}}`)
  }
}

/** Its JSON, in a step of its own: what was committed together, hundreds of them, is answered at the same moment. */
export const toJsonInTurn = (make: () => unknown): Promise<string> => inSlices(inAStep(make))

function* inAStep(make: () => unknown): Generator<void, string> {
  yield
  return itemToJson(make())
}

/**
 * Answers an object whose lists may be long: an item at a time, so that nobody waits for all of it, and items that are
 * still to be read are read when the caller has taken those before them.
 */
export function sendJson(reply: FastifyReply, body: Record<string, unknown>): Promise<FastifyReply> {
  return sendPieces(reply.type('application/json; charset=utf-8'), toJson(body))
}

async function* toJson(body: Record<string, unknown>): AsyncGenerator<string, undefined> {
  let text = '{'
  for (const [name, value] of Object.entries(body)) {
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:`
    if (!isList(value)) {
      text += itemToJson(value)
      continue
    }
    let separator = '['
    for await (const items of piecesOf(value)) {
      yield text + separator + items
      text = ''
      separator = ','
    }
    text += separator === '[' ? '[]' : ']'
  }
  yield `${text}}`
}

async function* piecesOf(list: List): AsyncGenerator<string> {
  if (Symbol.iterator in list) yield* textsOf(list)
  else for await (const items of list) yield* textsOf(items)
}

/** Of items that are there already, in slices: making text of them may take long. */
async function* textsOf(items: Iterable<unknown>): AsyncGenerator<string> {
  const iterator = items[Symbol.iterator]()
  for (;;) {
    const text = await inSlices(takeItems(iterator))
    if (text === '') return
    yield text
  }
}

/** As much as goes together, an item a step; nothing where all is taken. */
function* takeItems(items: Iterator<unknown>): Generator<void, string> {
  let text = ''
  while (text.length < CHUNK_BYTES) {
    const { done, value } = items.next()
    if (done) break
    text += (text === '' ? '' : ',') + itemToJson(value)
    yield
  }
  return text
}

/** An item of a list, or a field. */
const itemToJson = (item: unknown): string => (item instanceof JsonText ? item.text : JSON.stringify(item))

const isList = (value: unknown): value is List =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
