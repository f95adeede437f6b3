import type { Account } from './account.ts'
import type { ApiDocument, Operation, Parameter, Schema } from './api-document.ts'
import { read, withoutByteOrderMark } from './json-text.ts'
import { kindOfField, kindOfPath } from './known-ids.ts'
import type { Request } from './request.ts'

/** The account of the request, and an account whose records it must not access. */
export interface RequestAccounts {
  account: Account
  otherAccount: Account | null
}

/** Why the document forbids the request to succeed. Null if it may succeed. */
export function rejectionReason(
  document: ApiDocument,
  operation: Operation,
  request: Request,
  accounts: RequestAccounts,
): string | null {
  if (operation.access !== 'anyone' && !isAuthenticated(request, accounts.account))
    return 'it has no valid credentials'
  return (
    pathReason(document, operation, request, accounts) ??
    queryReason(document, operation, request) ??
    bodyReason(document, operation, request, accounts)
  )
}

function isAuthenticated({ headers }: Request, { token, cookie }: Account): boolean {
  const { Authorization, Cookie } = headers
  return Authorization === undefined
    ? cookie !== null && Cookie === cookie
    : Authorization === `Bearer ${token}`
}

function pathReason(
  document: ApiDocument,
  operation: Operation,
  { path }: Request,
  { otherAccount }: RequestAccounts,
): string | null {
  const segments = withoutQuery(path).split('/')
  for (const [at, part] of operation.path.split('/').entries()) {
    const parameter = operation.parameters.find(
      ({ in: place, name }) => place === 'path' && part === `{${name}}`,
    )
    if (parameter === undefined) continue
    const name = decodePercent(segments[at] ?? '')
    if (name === null) return 'its path is not percent-encoded UTF-8'
    const violation = document.schemaViolation(parseParameter(parameter, name), parameter.schema)
    if (violation) return `its path has an invalid ${parameter.name}: ${violation}`
    const isForeign = otherAccount?.known.of(kindOfPath(operation.path)).includes(name)
    if (isForeign) return 'its path names a record of another account'
  }
  return null
}

function queryReason(document: ApiDocument, operation: Operation, { path }: Request): string | null {
  const at = path.indexOf('?')
  const known = new Map(
    operation.parameters
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => [parameter.name, parameter]),
  )
  if (at < 0 || known.size === 0) return null
  for (const pair of path.slice(at + 1).split('&')) {
    const [name, value] = pair.split(/=(.*)/s).map((part) => decodePercent(part.replaceAll('+', ' ')))
    if (name === null || value === null) return 'its query is not percent-encoded UTF-8'
    const parameter = known.get(name ?? '')
    if (parameter === undefined && name) return `its query has ${name}, which is unknown`
    const violation =
      parameter && document.schemaViolation(parseParameter(parameter, value ?? ''), parameter.schema)
    if (violation) return `its query has an invalid ${name}: ${violation}`
  }
  return null
}

const parseParameter = ({ schema }: Parameter, text: string): unknown =>
  schema.type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text

function bodyReason(
  document: ApiDocument,
  operation: Operation,
  request: Request,
  accounts: RequestAccounts,
): string | null {
  const schema = operation.bodies['application/json']?.schema
  const type = request.headers['Content-Type'] ?? ''
  if (schema === undefined || isNdjson(type)) return null
  if (request.body === null || request.body.length === 0) return 'it has no body'
  const text = request.body.toString('utf8')
  if (!Buffer.from(text).equals(request.body)) return 'its body is not UTF-8'
  const value = read(withoutByteOrderMark(text))
  if (value === undefined) return 'its body is not JSON'
  const list = listOf(operation)
  const violation = document.schemaViolation(
    value,
    list === null ? schema : withoutItems(document.resolve(schema), list),
  )
  return violation ? `its body is invalid: ${violation}` : foreignIdReason(operation, value, accounts)
}

export const isNdjson = (type: string): boolean =>
  type.trimStart().toLowerCase().startsWith('application/x-ndjson')

/** The list whose items are processed independently. Null for none. */
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

/** Unique only within an account. */
const ACCOUNT_SCOPED_FIELDS = ['external_id', 'customer_uuid', 'after']

/** Why the body must be refused: it contains an id of another account. Null if it does not. */
export function foreignIdReason(
  operation: Operation,
  value: unknown,
  { otherAccount }: RequestAccounts,
): string | null {
  if (otherAccount === null || typeof value !== 'object' || value === null) return null
  for (const [field, name] of Object.entries(value)) {
    const kind = kindOfField(field)
    if (kind === undefined || ACCOUNT_SCOPED_FIELDS.includes(field) || !operation.path.startsWith('/v1/'))
      continue
    const isIgnored = operation.path.includes('/events') && operation.path.includes('{')
    if (!isIgnored && otherAccount.known.of(kind).includes(name))
      return `its ${field} belongs to another account`
  }
  return null
}

const withoutQuery = (path: string): string => path.split('?', 1)[0] as string

function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
