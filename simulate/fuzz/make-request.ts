import type { Random } from '../random.ts'
import { type Account, headersOf, type Identity } from './account.ts'
import type { ApiDocument, Operation, Parameter } from './document.ts'
import { write } from './json-text.ts'
import { type Kind, kindOfField, kindOfPath } from './known.ts'
import type { Request } from './request.ts'
import { breakBytes, spoil } from './spoil.ts'
import { someString, someUuid } from './strings.ts'
import { type Origin, validValue } from './valid-values.ts'

export interface Asker {
  document: ApiDocument
  url: string
  random: Random
  account: Account
  /** Whose records must stay closed to the account; null if there is nobody else. */
  stranger: Account | null
  prefix: string
}

const METHODS = [
  'PUT',
  'PATCH',
  'DELETE',
  'POST',
  'GET',
  'OPTIONS',
  'HEAD',
  'TRACE',
  'PROPFIND',
  'LOCK',
  'SEARCH',
]
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

/** A request of the operation: mostly one that it may take, otherwise wrong in one way or several. */
export function makeRequest(asker: Asker, operation: Operation): Request {
  const { random } = asker
  const isPlain = random.chance(0.5)
  const method = isPlain ? operation.method : methodOf(operation, random)
  const body = isPlain ? validBody(asker, operation) : someBody(asker, operation)
  const path = pathOf(asker, operation, isPlain) + queryOf(asker, operation, isPlain)
  const headers = {
    ...headersOf(identityOf(operation, random), asker.account, asker.url),
    ...(body === null ? {} : { 'Content-Type': body.type }),
    ...(isPlain ? {} : oddHeaders(operation, random)),
    ...(operation.id.startsWith('submit') && random.chance(0.2) ? { Prefer: 'return=minimal' } : {}),
  }
  if (headers['Content-Type'] === '') Reflect.deleteProperty(headers, 'Content-Type')
  return { method, path, headers, body: body?.bytes ?? null }
}

function methodOf({ method }: Operation, random: Random): string {
  if (method === 'GET' && random.chance(0.03)) return 'HEAD'
  return random.chance(0.03) ? random.pick(METHODS) : method
}

function identityOf({ access }: Operation, random: Random): Identity {
  const usual = access === 'session' ? 'session' : 'token'
  if (random.chance(0.93)) return usual
  return random.pick<Identity>([
    'token',
    'session',
    'session',
    'other-site',
    'revoked',
    'unknown',
    'garbled',
    'nobody',
  ])
}

function pathOf(asker: Asker, { path }: Operation, isPlain: boolean): string {
  return path.replace(/\{\w+\}/, () => encode(nameOf(asker, kindOfPath(path), isPlain), asker.random))
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

function queryOf(asker: Asker, { parameters }: Operation, isPlain: boolean): string {
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

interface Body {
  type: string
  bytes: Buffer<ArrayBuffer>
}

function validBody(asker: Asker, operation: Operation): Body | null {
  const value = bodyValue(asker, operation)
  if (value === undefined) return null
  const isStream = operation.bodies['application/x-ndjson'] !== undefined && asker.random.chance(0.3)
  return isStream
    ? { type: 'application/x-ndjson', bytes: toLines(value, asker.random) }
    : { type: 'application/json', bytes: Buffer.from(write(value)) }
}

function someBody(asker: Asker, operation: Operation): Body | null {
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

function originOf({ document, random, account, stranger, prefix }: Asker, path: string): Origin {
  const isForeign = stranger !== null && random.chance(0.02)
  return { document, random, known: isForeign ? stranger.known : account.known, prefix, path }
}

function oddHeaders({ bodies }: Operation, random: Random): Record<string, string> {
  if (random.chance(0.7)) return {}
  const odd: Record<string, string>[] = [
    {
      Prefer: random.pick([
        'return=minimal',
        'return="minimal", wait=1',
        'return=representation',
        ';;',
        'x'.repeat(2_000),
      ]),
    },
    { Accept: random.pick(['text/html', '*/*', 'application/xml', 'q=;', '']) },
    { 'If-None-Match': random.pick(['*', '"x"', 'W/"x"']) },
    { 'Idempotency-Key': someUuid(random) },
    { Range: 'bytes=0-1' },
    { Origin: random.pick(['null', 'https://other.example', 'x', '']) },
    { 'X-Request-Id': 'mine' },
    { 'X-HTTP-Method-Override': 'DELETE' },
    { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'javascript' },
    { 'Accept-Encoding': 'gzip, br' },
    { TE: 'trailers', 'Accept-Language': 'xx' },
  ]
  const onBodies =
    Object.keys(bodies).length > 0
      ? [{ 'Content-Encoding': random.pick(['gzip', 'identity', 'br, gzip']) }]
      : []
  return random.pick([...odd, ...onBodies])
}
