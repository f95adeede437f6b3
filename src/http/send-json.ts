import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { inSlices } from '../app/in-slices.ts'

/** Characters that are put together before they are sent. */
const PIECE = 256 * 1024

/**
 * Answers an object whose lists may be long: an item at a time, so that nobody waits for all of it. A large answer is
 * sent in pieces, as fast as the caller reads it.
 */
export async function sendJson(reply: FastifyReply, body: Record<string, unknown>): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8')
  const parts = toJson(body)
  const first = await inSlices(takePiece(parts))
  if (first.length < PIECE) return reply.send(first)
  return reply.send(Readable.from(remaining(first, parts)))
}

async function* remaining(first: string, parts: Iterator<string>): AsyncGenerator<string> {
  for (let piece = first; piece !== ''; piece = await inSlices(takePiece(parts))) yield piece
}

/** As much as goes together, an item a step; nothing where all is taken. */
function* takePiece(parts: Iterator<string>): Generator<void, string> {
  let piece = ''
  while (piece.length < PIECE) {
    const { done, value } = parts.next()
    if (done) break
    piece += value
    yield
  }
  return piece
}

function* toJson(body: Record<string, unknown>): Generator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(body)) {
    yield `${separator}${JSON.stringify(name)}:`
    if (isIterable(value)) yield* listToJson(value)
    else yield JSON.stringify(value)
    separator = ','
  }
  yield '}'
}

function* listToJson(items: Iterable<unknown>): Generator<string> {
  let separator = '['
  for (const item of items) {
    yield separator + JSON.stringify(item)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value
