import type { FastifyReply } from 'fastify'
import { inSlices } from '../app/in-slices.ts'
import { sendPieces } from './send-pieces.ts'
import { CHUNK_BYTES } from './shared-answer.ts'

type Items = Iterable<unknown> | AsyncIterable<unknown>

/** JSON that goes into the answer as it is. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** An object, some of whose fields may be JSON already. */
  static ofObject(fields: object): JsonText {
    const texts = Object.entries(fields).map(
      ([name, value]) => `${JSON.stringify(name)}:${itemToJson(value)}`,
    )
    return new JsonText(`{${texts.join(',')}}`)
  }
}

/**
 * Answers an object whose lists may be long: an item at a time, so that nobody waits for all of it, and items that are
 * still to be read are read when the caller has taken those before them.
 */
export function sendJson(reply: FastifyReply, body: Record<string, unknown>): Promise<FastifyReply> {
  return sendPieces(reply.type('application/json; charset=utf-8'), toJson(body))
}

async function* toJson(body: Record<string, unknown>): AsyncGenerator<string> {
  let text = '{'
  let separator = ''
  for (const [name, value] of Object.entries(body)) {
    text += `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (isList(value)) {
      yield text
      text = ''
      yield* listToJson(value)
    } else text += itemToJson(value)
  }
  yield `${text}}`
}

async function* listToJson(items: Items): AsyncGenerator<string> {
  yield '['
  if (Symbol.iterator in items) yield* piecesOf(items[Symbol.iterator]())
  else {
    let separator = ''
    for await (const item of items) {
      yield separator + itemToJson(item)
      separator = ','
    }
  }
  yield ']'
}

/** Items that are there already, in slices: making text of them may take long. */
async function* piecesOf(items: Iterator<unknown>): AsyncGenerator<string> {
  let isFirst = true
  for (;;) {
    const piece = await inSlices(takePiece(items, isFirst))
    if (piece === '') return
    isFirst = false
    yield piece
  }
}

/** As much as goes together, an item a step; nothing where all is taken. */
function* takePiece(items: Iterator<unknown>, isFirst: boolean): Generator<void, string> {
  let piece = ''
  while (piece.length < CHUNK_BYTES) {
    const { done, value } = items.next()
    if (done) break
    piece += (isFirst && piece === '' ? '' : ',') + itemToJson(value)
    yield
  }
  return piece
}

const itemToJson = (item: unknown): string => (item instanceof JsonText ? item.text : JSON.stringify(item))

const isList = (value: unknown): value is Items =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
