import type { Random } from '../random.ts'
import { type Asker, originOf } from './asker.ts'
import type { Operation, Parameter } from './document.ts'
import { write } from './json-text.ts'
import { type Kind, kindOfField, kindOfPath } from './known.ts'
import { someString, someUuid } from './strings.ts'
import { validValue } from './valid-values.ts'

export function pathOf(asker: Asker, { path }: Operation, isPlain: boolean): string {
  return path
    .replace(/\{\w+\}/, () => encode(nameOf(asker, kindOfPath(path), isPlain), asker.random))
    .replace('{version}', () => encode(versionOf(asker, isPlain), asker.random))
}

/** Of a schema. */
const versionOf = ({ random }: Asker, isPlain: boolean): string =>
  isPlain || random.chance(0.7)
    ? `${random.int(1, 3)}`
    : random.pick([
        '0',
        '-1',
        '1.5',
        '01',
        '1e0',
        ' 1',
        '2147483647',
        '2147483648',
        'x',
        someString(random, 0, 30),
      ])

export function queryOf(asker: Asker, { parameters }: Operation, isPlain: boolean): string {
  const { random } = asker
  const chosen = parameters.filter((one) => one.in === 'query' && random.chance(0.25))
  const pairs = chosen.map((one): [string, string] => [
    one.name,
    encode(parameterOf(asker, one, isPlain), random),
  ])
  if (!isPlain && random.chance(0.1)) {
    const [name, value] = pairs[0] ?? ['', '']
    const odd: [string, string][] = [
      [name, value],
      ['stranger', '1'],
      ['__proto__', '1'],
      [`${name}[]`, value],
      ['%', '%zz'],
    ]
    pairs.push(random.pick(odd))
  }
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`
}

/** A record of the account mostly; otherwise somebody else's, one that is not there, or no name at all. */
function nameOf({ random, account, stranger }: Asker, kind: Kind, isPlain: boolean): string {
  const own = account.known.pick(kind, random) ?? someUuid(random)
  if (random.chance(isPlain ? 0.97 : 0.7)) return own
  switch (random.int(0, 5)) {
    case 0:
      return stranger?.known.pick(kind, random) ?? own
    case 1:
      return someUuid(random)
    case 2:
      return own.toUpperCase()
    case 3:
      return changed(own, random)
    case 4:
      return random.pick([
        '',
        'x',
        'export',
        'batch',
        '..',
        '.',
        '%',
        '\0',
        'null',
        'x'.repeat(256),
        'é'.repeat(256),
      ])
    default:
      return someString(random, 0, 300)
  }
}

function parameterOf(asker: Asker, { name, schema }: Parameter, isPlain: boolean): string {
  const { random, account } = asker
  const value = validValue(originOf(asker, ''), schema, name)
  const text = typeof value === 'object' && value !== null ? write(value) : String(value)
  if (isPlain || random.chance(0.5)) return text
  const kind = kindOfField(name)
  const odd = [
    '',
    '0',
    '-1',
    '101',
    '1.0',
    '1e1',
    '0x10',
    ' 1',
    'null',
    'true',
    '\0',
    '\u2028',
    text.toUpperCase(),
  ]
  const known = kind === undefined ? text : (account.known.pick(kind, random) ?? text)
  return random.pick([...odd, changed(known, random), known.repeat(9), someString(random, 0, 300)])
}

/** By one character. */
function changed(text: string, random: Random): string {
  const at = random.int(0, Math.max(0, text.length - 1))
  return text.slice(0, at) + random.pick(['0', 'a', 'Z', '-', '', '=', '😀']) + text.slice(at + 1)
}

const BROKEN_PERCENT = ['%', '%zz', '%C0%AF', '%ED%A0%80', '%00', '%2F', '%2e%2e%2f', '%FF']

function encode(text: string, random: Random): string {
  const encoded = encodeURIComponent(text.toWellFormed())
  return random.chance(0.01) ? encoded + random.pick(BROKEN_PERCENT) : encoded
}
