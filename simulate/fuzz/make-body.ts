import type { Random } from '../random.ts'
import type { Operation } from './api-document.ts'
import type { FuzzContext } from './context.ts'
import { write } from './json-text.ts'
import { mutateBytes, mutateValue } from './mutate-value.ts'
import { originOf, validValue } from './valid-values.ts'

const MEDIA_TYPES = [
  'application/json; charset=utf-8',
  'application/json;charset=latin1',
  'APPLICATION/JSON',
  'application/json ',
  'application/json, text/html',
  'application/merge-patch+json',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'json',
  ';',
  '*/*',
]

interface Body {
  type: string
  bytes: Buffer<ArrayBuffer>
}

export function validBody(context: FuzzContext, operation: Operation): Body | null {
  const value = bodyValue(context, operation)
  if (value === undefined) return null
  const isStream = operation.bodies['application/x-ndjson'] !== undefined && context.random.chance(0.3)
  return isStream
    ? { type: 'application/x-ndjson', bytes: toLines(value, context.random) }
    : { type: 'application/json', bytes: Buffer.from(write(value)) }
}

export function mutatedBody(context: FuzzContext, operation: Operation): Body | null {
  const { random } = context
  const value = bodyValue(context, operation)
  if (value === undefined || random.chance(0.02)) return unexpectedBody(operation, random)
  const mutated = random.chance(0.75) ? mutateValue(value, random) : value
  const isStream = operation.bodies['application/x-ndjson'] !== undefined && random.chance(0.4)
  const bytes = isStream ? toLines(mutated, random) : Buffer.from(write(mutated))
  const type = isStream ? 'application/x-ndjson' : 'application/json'
  return {
    type: random.chance(0.05) ? random.pick(['', ...MEDIA_TYPES]) : type,
    bytes: random.chance(0.12) ? mutateBytes(bytes, random) : bytes,
  }
}

/** A body for an operation without one, or an unrelated body. */
function unexpectedBody({ method }: Operation, random: Random): Body | null {
  if (method === 'GET' || random.chance(0.7)) return null
  const texts = ['', '{}', 'null', '[]', '""', '{', ' ', '\ufeff{}', 'x'.repeat(20_000)]
  const isLarge = random.chance(0.01)
  const bytes = isLarge
    ? Buffer.alloc(random.pick([1, 8]) * 1024 * 1024 + 1, '[')
    : Buffer.from(random.pick(texts))
  return { type: random.pick(['application/json', ...MEDIA_TYPES]), bytes }
}

/** Undefined if the operation has no body. */
function bodyValue(context: FuzzContext, operation: Operation): unknown {
  const content = operation.bodies['application/json']
  if (!content) return undefined
  if (content.example !== undefined && context.random.chance(0.02)) return content.example
  return validValue(originOf(context, operation.path), content.schema)
}

function toLines(value: unknown, random: Random): Buffer<ArrayBuffer> {
  const list = (value as { events?: unknown } | null)?.events
  const items = Array.isArray(list) ? list : [value]
  const end = random.pick(['\n', '\n', '\r\n', '\n\n', ' \n'])
  return Buffer.from(items.map((item) => write(item)).join(end) + random.pick(['', end]))
}
