import type { FastifyReply } from 'fastify'
import { runCooperatively } from '../../concurrency/cooperative.ts'
import { JoinedTexts, sendPieces, Texts } from './send-pieces.ts'
import { CHUNK_BYTES } from './shared-answer.ts'

/** Items that are there, or that are read a few at a time. */
type List = Iterable<unknown> | AsyncIterable<Iterable<unknown>>

/** JSON that goes into the answer as it is. */
export class JsonText {
  readonly parts: readonly string[]

  constructor(...parts: string[]) {
    this.parts = parts
  }

  /** An object, some of whose fields may be JSON already. As in JSON, one that is undefined is left out. */
  static ofObject(fields: object): JsonText {
    const text = new JoinedTexts()
    text.add('{')
    let separator = ''
    for (const [name, value] of toldFields(fields)) {
      addName(text, separator, name)
      addItem(text, value)
      separator = ','
    }
    text.add('}')
    return new JsonText(...text.all)
  }
}

/** Its JSON, in a step of its own: what was committed together, hundreds of them, is answered at the same moment. */
export const toJsonInTurn = (make: () => unknown): Promise<string> => runCooperatively(inAStep(make))

function* inAStep(make: () => unknown): Generator<void, string> {
  yield
  const item = make()
  return item instanceof JsonText ? item.parts.join('') : JSON.stringify(item)
}

/**
 * Answers an object whose lists may be long: an item at a time, so that nobody waits for all of it, and items that are
 * still to be read are read when the caller has taken those before them.
 */
export function sendJson(reply: FastifyReply, body: Record<string, unknown>): Promise<FastifyReply> {
  return sendPieces(reply.type('application/json; charset=utf-8'), toJson(body))
}

async function* toJson(body: Record<string, unknown>): AsyncGenerator<readonly string[], undefined> {
  let text = new Texts()
  text.add('{')
  let separator = ''
  for (const [name, value] of toldFields(body)) {
    addName(text, separator, name)
    separator = ','
    if (!isList(value)) {
      addItem(text, value)
      continue
    }
    let bracket = '['
    for await (const items of piecesOf(value)) {
      text.add(bracket)
      text.addAll(items)
      yield text.all
      text = new Texts()
      bracket = ','
    }
    text.add(bracket === '[' ? '[]' : ']')
  }
  text.add('}')
  yield text.all
}

async function* piecesOf(list: List): AsyncGenerator<readonly string[]> {
  if (Symbol.iterator in list) yield* textsOf(list)
  else for await (const items of list) yield* textsOf(items)
}

/** Of items that are there already, in slices: making text of them may take long. */
async function* textsOf(items: Iterable<unknown>): AsyncGenerator<readonly string[]> {
  const iterator = items[Symbol.iterator]()
  for (;;) {
    const text = await runCooperatively(takeItems(iterator))
    if (text.length === 0) return
    yield text
  }
}

/** As much as goes together, an item a step; nothing if all is taken. */
function* takeItems(items: Iterator<unknown>): Generator<void, readonly string[]> {
  const text = new Texts()
  while (text.length < CHUNK_BYTES) {
    const { done, value } = items.next()
    if (done) break
    if (text.length > 0) text.add(',')
    addItem(text, value)
    yield
  }
  return text.all
}

const toldFields = (body: object) => Object.entries(body).filter(([, value]) => value !== undefined)

const addName = (text: Texts, separator: string, name: string) =>
  text.add(`${separator}${JSON.stringify(name)}:`)

/** An item of a list, or a field. */
function addItem(text: Texts, item: unknown): void {
  if (item instanceof JsonText) text.addAll(item.parts)
  else text.add(JSON.stringify(item))
}

const isList = (value: unknown): value is List =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
