import type { Random } from '../random.ts'
import type { Operation, Parameter } from './api-document.ts'
import type { FuzzContext } from './context.ts'
import { write } from './json-text.ts'
import { type Kind, kindOfField, kindOfPath } from './known-ids.ts'
import { randomString, randomUuid } from './random-values.ts'
import { originOf, validValue } from './valid-values.ts'

export function pathOf(context: FuzzContext, { path }: Operation, isValid: boolean): string {
  return path
    .replace(/\{\w+\}/, () => encode(nameOf(context, kindOfPath(path), isValid), context.random))
    .replace('{version}', () => encode(versionOf(context, isValid), context.random))
}

/** The version of a schema or calendar. */
const versionOf = ({ random }: FuzzContext, isValid: boolean): string =>
  isValid || random.chance(0.7)
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
        randomString(random, 0, 30),
      ])

export function queryOf(context: FuzzContext, { parameters }: Operation, isValid: boolean): string {
  const { random } = context
  const chosen = parameters.filter((parameter) => parameter.in === 'query' && random.chance(0.25))
  const pairs = chosen.map((parameter): [string, string] => [
    parameter.name,
    encode(parameterOf(context, parameter, isValid), random),
  ])
  if (!isValid && random.chance(0.1)) {
    const [name, value] = pairs[0] ?? ['', '']
    const invalid: [string, string][] = [
      [name, value],
      ['unknown', '1'],
      ['__proto__', '1'],
      [`${name}[]`, value],
      ['%', '%zz'],
    ]
    pairs.push(random.pick(invalid))
  }
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`
}

/** Mostly a record of the account, else one of another account, an unknown or an invalid id. */
function nameOf({ random, account, otherAccount }: FuzzContext, kind: Kind, isValid: boolean): string {
  const own = account.known.pick(kind, random) ?? randomUuid(random)
  if (random.chance(isValid ? 0.97 : 0.7)) return own
  switch (random.int(0, 5)) {
    case 0:
      return otherAccount?.known.pick(kind, random) ?? own
    case 1:
      return randomUuid(random)
    case 2:
      return own.toUpperCase()
    case 3:
      return withChangedCharacter(own, random)
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
      return randomString(random, 0, 300)
  }
}

function parameterOf(context: FuzzContext, { name, schema }: Parameter, isValid: boolean): string {
  const { random, account } = context
  const value = validValue(originOf(context, ''), schema, name)
  const text = typeof value === 'object' && value !== null ? write(value) : String(value)
  if (isValid || random.chance(0.5)) return text
  const kind = kindOfField(name)
  const invalid = [
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
  return random.pick([
    ...invalid,
    withChangedCharacter(known, random),
    known.repeat(9),
    randomString(random, 0, 300),
  ])
}

function withChangedCharacter(text: string, random: Random): string {
  const at = random.int(0, Math.max(0, text.length - 1))
  return text.slice(0, at) + random.pick(['0', 'a', 'Z', '-', '', '=', '😀']) + text.slice(at + 1)
}

const INVALID_PERCENT_ENCODINGS = ['%', '%zz', '%C0%AF', '%ED%A0%80', '%00', '%2F', '%2e%2e%2f', '%FF']

function encode(text: string, random: Random): string {
  const encoded = encodeURIComponent(text.toWellFormed())
  return random.chance(0.01) ? encoded + random.pick(INVALID_PERCENT_ENCODINGS) : encoded
}
