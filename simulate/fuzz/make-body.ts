import type { Random } from '../random.ts'
import { type Asker, originOf } from './asker.ts'
import type { Operation } from './document.ts'
import { write } from './json-text.ts'
import { breakBytes, spoil } from './spoil.ts'
import { validValue } from './valid-values.ts'

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

export function validBody(asker: Asker, operation: Operation): Body | null {
  const value = bodyValue(asker, operation)
  if (value === undefined) return null
  const isStream = operation.bodies['application/x-ndjson'] !== undefined && asker.random.chance(0.3)
  return isStream
    ? { type: 'application/x-ndjson', bytes: toLines(value, asker.random) }
    : { type: 'application/json', bytes: Buffer.from(write(value)) }
}

export function someBody(asker: Asker, operation: Operation): Body | null {
  const { random } = asker
  const value = bodyValue(asker, operation)
  if (value === undefined || random.chance(0.02)) return oddBody(operation, random)
  const spoiled = random.chance(0.75) ? spoil(value, random) : value
  const isStream = operation.bodies['application/x-ndjson'] !== undefined && random.chance(0.4)
  const bytes = isStream ? toLines(spoiled, random) : Buffer.from(write(spoiled))
  const type = isStream ? 'application/x-ndjson' : 'application/json'
  return {
    type: random.chance(0.05) ? random.pick(['', ...MEDIA_TYPES]) : type,
    bytes: random.chance(0.12) ? breakBytes(bytes, random) : bytes,
  }
}

/** Where no body belongs, or in place of one. */
function oddBody({ method }: Operation, random: Random): Body | null {
  if (method === 'GET' || random.chance(0.7)) return null
  const texts = ['', '{}', 'null', '[]', '""', '{', ' ', '\ufeff{}', 'x'.repeat(20_000)]
  const isLarge = random.chance(0.01)
  const bytes = isLarge
    ? Buffer.alloc(random.pick([1, 8]) * 1024 * 1024 + 1, '[')
    : Buffer.from(random.pick(texts))
  return { type: random.pick(['application/json', ...MEDIA_TYPES]), bytes }
}

/** Undefined if the operation takes no body. */
function bodyValue(asker: Asker, operation: Operation): unknown {
  const content = operation.bodies['application/json']
  if (!content) return undefined
  if (content.example !== undefined && asker.random.chance(0.02)) return content.example
  return validValue(originOf(asker, operation.path), content.schema)
}

function toLines(value: unknown, random: Random): Buffer<ArrayBuffer> {
  const list = (value as { events?: unknown } | null)?.events
  const items = Array.isArray(list) ? list : [value]
  const end = random.pick(['\n', '\n', '\r\n', '\n\n', ' \n'])
  return Buffer.from(items.map((item) => write(item)).join(end) + random.pick(['', end]))
}
