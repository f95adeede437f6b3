import type { Account } from './account.ts'
import type { ApiDocument, Operation, Parameter, Schema } from './document.ts'
import { read, withoutMark } from './json-text.ts'
import { kindOfField, kindOfPath } from './known.ts'
import type { Request } from './request.ts'

/** Whose request it is, and whose it must not reach. */
export interface Parties {
  account: Account
  stranger: Account | null
}

/** Why the request must not succeed by what the document says; null if it may. */
export function reasonToFail(
  document: ApiDocument,
  operation: Operation,
  request: Request,
  parties: Parties,
): string | null {
  if (operation.access !== 'anyone' && !isKnown(request, parties.account))
    return 'nobody who is known sent it'
  return (
    pathFlaw(document, operation, request, parties) ??
    queryFlaw(document, operation, request) ??
    bodyFlaw(document, operation, request, parties)
  )
}

function isKnown({ headers }: Request, { token, cookie }: Account): boolean {
  const { Authorization, Cookie } = headers
  return Authorization === undefined
    ? cookie !== null && Cookie === cookie
    : Authorization === `Bearer ${token}`
}

function pathFlaw(
  document: ApiDocument,
  operation: Operation,
  { path }: Request,
  { stranger }: Parties,
): string | null {
  const segments = withoutQuery(path).split('/')
  for (const [at, part] of operation.path.split('/').entries()) {
    const parameter = operation.parameters.find((one) => one.in === 'path' && part === `{${one.name}}`)
    if (parameter === undefined) continue
    const name = decoded(segments[at] ?? '')
    if (name === null) return 'its path is not percent-encoded UTF-8'
    const flaw = document.flawOf(typed(parameter, name), parameter.schema)
    if (flaw) return `its path has ${parameter.name} for which ${flaw}`
    const isForeign = stranger?.known.of(kindOfPath(operation.path)).includes(name)
    if (isForeign) return 'its path names what belongs to another account'
  }
  return null
}

function queryFlaw(document: ApiDocument, operation: Operation, { path }: Request): string | null {
  const at = path.indexOf('?')
  const known = new Map(
    operation.parameters.filter((one) => one.in === 'query').map((one) => [one.name, one]),
  )
  if (at < 0 || known.size === 0) return null
  for (const pair of path.slice(at + 1).split('&')) {
    const [name, value] = pair.split(/=(.*)/s).map((part) => decoded(part.replaceAll('+', ' ')))
    if (name === null || value === null) return 'its query is not percent-encoded UTF-8'
    const parameter = known.get(name ?? '')
    if (parameter === undefined && name) return `its query has ${name}, which is not known`
    const flaw = parameter && document.flawOf(typed(parameter, value ?? ''), parameter.schema)
    if (flaw) return `its query has ${name} for which ${flaw}`
  }
  return null
}

const typed = ({ schema }: Parameter, text: string): unknown =>
  schema.type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text

function bodyFlaw(
  document: ApiDocument,
  operation: Operation,
  request: Request,
  parties: Parties,
): string | null {
  const schema = operation.bodies['application/json']?.schema
  const type = request.headers['Content-Type'] ?? ''
  if (schema === undefined || isLines(type)) return null
  if (request.body === null || request.body.length === 0) return 'it has no body'
  const text = request.body.toString('utf8')
  if (!Buffer.from(text).equals(request.body)) return 'its body is not UTF-8'
  const value = read(withoutMark(text))
  if (value === undefined) return 'its body is no JSON'
  const list = listOf(operation)
  const flaw = document.flawOf(value, list === null ? schema : withoutItems(document.resolve(schema), list))
  return flaw ? `its body is one of which ${flaw}` : foreignFlaw(operation, value, parties)
}

export const isLines = (type: string): boolean =>
  type.trimStart().toLowerCase().startsWith('application/x-ndjson')

/** The list of which each item stands alone; null if there is none. */
export function listOf({ path }: Operation): 'events' | 'claims' | 'candidates' | null {
  const [, , resource, last] = path.split('/')
  return last === 'batch' ? (resource as 'events' | 'claims' | 'candidates') : null
}

const envelopes = new Map<Schema, Schema>()

function withoutItems(schema: Schema, list: string): Schema {
  const known = envelopes.get(schema)
  if (known) return known
  const { items: _, ...rest } = (schema.properties as Record<string, Schema>)[list] as Schema
  const envelope = { ...schema, properties: { [list]: rest } }
  envelopes.set(schema, envelope)
  return envelope
}

/** Names that are each account's own choice may be the same in two. */
const OWN_CHOICE = ['external_id', 'customer_uuid', 'after']

/** Names in a body that belong to another account; null if none does. */
export function foreignFlaw(operation: Operation, value: unknown, { stranger }: Parties): string | null {
  if (stranger === null || typeof value !== 'object' || value === null) return null
  for (const [field, name] of Object.entries(value)) {
    const kind = kindOfField(field)
    if (kind === undefined || OWN_CHOICE.includes(field) || !operation.path.startsWith('/v1/')) continue
    const isIgnored = operation.path.includes('/events') && operation.path.includes('{')
    if (!isIgnored && stranger.known.of(kind).includes(name)) return `its ${field} belongs to another account`
  }
  return null
}

const withoutQuery = (path: string): string => path.split('?', 1)[0] as string

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
