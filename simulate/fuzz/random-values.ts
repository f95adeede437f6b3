import { HOSTILE_STRINGS } from '../../tests/support/hostile-strings.ts'
import type { Random } from '../random.ts'
import { Raw } from './json-text.ts'

/** A short list, so that events match conditions. */
export const EVENT_NAMES = ['delivery', 'refund', 'ticket_resolved', 'satisfaction', 'a']
const CHARACTERS = [...'abcXYZ019 _-./%+&=?#"\\\'<>é漢😀\u200d\u202e\ufeff\u0001\n\t']

/** A well-formed string, sometimes a hostile one. */
export function randomString(random: Random, min = 0, max = 40): string {
  const longest = Math.min(max, 300)
  if (random.chance(0.2)) return fitLength(random.pick(HOSTILE_STRINGS), min, longest)
  const length = random.chance(0.15)
    ? random.pick([min, longest])
    : random.int(min, Math.min(longest, min + 12))
  return Array.from({ length }, () => random.pick(CHARACTERS)).join('')
}

function fitLength(text: string, min: number, max: number): string {
  const characters = [...text].slice(0, max)
  return characters.join('').padEnd(min + text.length - characters.length, 'x')
}

export const randomUuid = (random: Random): string =>
  'xxxxxxxx-xxxx-7xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => random.int(0, 15).toString(16))

const DAY_MS = 86_400_000
const EPOCH_2026 = Date.UTC(2026, 0, 1)

const EDGE_TIMES = [
  '1970-01-01T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '2999-12-31T23:59:59.999Z',
  '3000-01-01T00:00:00Z',
  '2024-02-29T12:00:00+14:00',
  '2026-06-30T23:59:60Z',
  '2026-01-31t09:30:00z',
  '2026-01-31 09:30:00Z',
  '2026-01-31T09:30:00.123456789Z',
  '2026-01-31T23:59:59.9999Z',
  '2026-01-31T09:30:00-23:59',
  '1970-01-01T00:00:00+00:01',
  '0000-01-01T00:00:00Z',
]

export function randomTime(random: Random): string {
  if (random.chance(0.1)) return random.pick(EDGE_TIMES)
  return new Date(EPOCH_2026 + random.int(0, 400 * DAY_MS)).toISOString()
}

/** JSON numbers at and beyond the limits of double precision. */
export const EDGE_NUMBERS = [
  '0',
  '-0',
  '-0.0',
  '1e400',
  '-1e400',
  '1e-400',
  '5e-324',
  '1.7976931348623157e308',
  '9007199254740991',
  '9007199254740993',
  '18446744073709551616',
  '0.1',
  '0.30000000000000004',
  '1e3',
  '1E+2',
  '123456789012345678901234567890',
  '0.1234567890123456789012345',
  `1${'0'.repeat(400)}`,
  '2147483648',
  '-1',
]

/** Invalid JSON, JSON with duplicate keys or deep nesting, and strings that cannot be stored. */
export const INVALID_TOKENS = [
  '"\\ud800"',
  '"\\udc00x"',
  '"\\u0000"',
  '"a\\u0000b"',
  'NaN',
  'Infinity',
  'undefined',
  "'x'",
  '01',
  '1.',
  '.5',
  '+1',
  '0x10',
  '"\\x41"',
  '"\\u12"',
  '"\t"',
  '[1,]',
  '{"a":1,}',
  '{"a":1,"a":2}',
  '{"__proto__":{"type":"x"}}',
  '{"constructor":{"prototype":{}}}',
  '{"toString":1,"hasOwnProperty":2}',
  '{"":0}',
  '{a:1}',
  '//',
  '/**/1',
  '[[[[[[[[[[]]]]]]]]]]',
  `${'['.repeat(126)}${']'.repeat(126)}`,
  `${'['.repeat(129)}${']'.repeat(129)}`,
  `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`,
  '['.repeat(5_000),
]

/** A JSON value, mostly small. */
export function randomJson(random: Random, depth = 0): unknown {
  const kind = random.int(0, depth > 2 ? 5 : 7)
  if (kind === 0) return null
  if (kind === 1) return random.chance(0.5)
  if (kind === 2) return random.int(-3, 9)
  if (kind === 3) return random.int(-1_000_000, 1_000_000) / 1000
  if (kind === 4) return randomString(random)
  if (kind === 5) return new Raw(random.pick(EDGE_NUMBERS.filter((it) => !/e-?400|^1?0{9}|\d{17}/.test(it))))
  const items = Array.from({ length: random.int(0, 4) }, () => randomJson(random, depth + 1))
  if (kind === 6) return items
  return Object.fromEntries(items.map((item) => [randomString(random, 0, 12), item]))
}
