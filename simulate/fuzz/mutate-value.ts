import type { Random } from '../random.ts'
import { Raw, write } from './json-text.ts'
import { EDGE_NUMBERS, INVALID_TOKENS, randomJson } from './random-values.ts'

const UNEXPECTED_KEYS = [
  '__proto__',
  'constructor',
  'unknown',
  '',
  'created_at',
  'system',
  '\u0000',
  'a'.repeat(300),
]
const INVALID_VALUES: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e12 + 1,
  '',
  'x',
  ' ',
  'x'.repeat(255),
  'x'.repeat(256),
  '😀'.repeat(256),
  'x'.repeat(5_000),
  [],
  {},
  [[]],
  [null],
  '\u0000',
  '\ud800',
  '2026-01-31T09:30:00',
  '2026-02-30T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
  'activity_window_elapsed',
]

/** Applies one or two mutations that may make the value invalid. */
export function mutateValue(value: unknown, random: Random): unknown {
  const once = mutateOnce(value, random)
  return random.chance(0.3) ? mutateOnce(once, random) : once
}

function mutateOnce(value: unknown, random: Random): unknown {
  const isLeaf = typeof value !== 'object' || value === null || value instanceof Raw
  if (isLeaf || random.chance(0.15)) return invalidValue(random)
  if (Array.isArray(value)) return mutateArray(value, random)
  return mutateObject(value as Record<string, unknown>, random)
}

function mutateArray(items: unknown[], random: Random): unknown[] {
  if (items.length === 0 || random.chance(0.2)) return [...items, invalidValue(random)]
  if (random.chance(0.02)) return Array.from({ length: 1_001 }, () => items[0])
  const at = random.int(0, items.length - 1)
  return items.with(at, mutateOnce(items[at], random))
}

function mutateObject(fields: Record<string, unknown>, random: Random): unknown {
  const entries = Object.entries(fields)
  const at = random.int(0, Math.max(0, entries.length - 1))
  const [key, value] = entries[at] ?? ['', null]
  switch (random.int(0, 7)) {
    case 0:
      return Object.fromEntries(entries.toSpliced(at, 1))
    case 1:
      return duplicateKey(entries, key, random)
    case 2:
      return rawObject([...entries, [random.pick(UNEXPECTED_KEYS), randomJson(random)]])
    case 3:
      return rawObject(entries.toSpliced(at, 1, [random.pick(UNEXPECTED_KEYS), value]))
    default:
      return entries.length === 0
        ? { x: invalidValue(random) }
        : { ...fields, [key]: mutateOnce(value, random) }
  }
}

const rawObject = (entries: (readonly [string, unknown])[]): Raw =>
  new Raw(`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${write(value)}`).join(',')}}`)

/** Repeats a key, with the same value or another. */
function duplicateKey(entries: [string, unknown][], key: string, random: Random): Raw {
  const value = random.chance(0.5)
    ? (entries.find(([name]) => name === key)?.[1] ?? null)
    : invalidValue(random)
  return rawObject([...entries, [key, value]])
}

function invalidValue(random: Random): unknown {
  const kind = random.int(0, 3)
  if (kind === 0) return new Raw(random.pick(EDGE_NUMBERS))
  if (kind === 1) return new Raw(random.pick(INVALID_TOKENS))
  return kind === 2 ? randomJson(random) : random.pick(INVALID_VALUES)
}

/** Truncates, changes, repeats or inserts bytes. */
export function mutateBytes(bytes: Buffer<ArrayBuffer>, random: Random): Buffer<ArrayBuffer> {
  const at = random.int(0, Math.max(0, bytes.length - 1))
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (random.int(0, 5)) {
    case 0:
      return Buffer.from(before)
    case 1:
      return Buffer.concat([before, Buffer.of(random.int(0, 255)), after.subarray(1)])
    case 2:
      return Buffer.concat([before, random.pick(INVALID_BYTES), after])
    case 3:
      return Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytes])
    case 4:
      return Buffer.concat([bytes, random.pick([bytes, ...INVALID_BYTES])])
    default:
      return Buffer.concat([before, bytes])
  }
}

const INVALID_BYTES = [
  Buffer.of(0),
  Buffer.of(0xc0, 0xaf),
  Buffer.of(0xed, 0xa0, 0x80),
  Buffer.of(0xff, 0xfe),
  Buffer.of(0xf4, 0x90, 0x80, 0x80),
  Buffer.from(','),
  Buffer.from('}'),
  Buffer.from('"'),
  Buffer.from('\\'),
  Buffer.from('\n'),
  Buffer.from('\u2028'),
]
