import {
  type ApiDocument,
  errorCodesOf,
  type Operation,
  type ResponseObject,
  type Schema,
} from './api-document.ts'
import { read } from './json-text.ts'
import { isNdjson, type RequestAccounts, rejectionReason } from './rejection-reason.ts'
import type { HttpResponse, Request } from './request.ts'
import { itemViolation, resultsOf } from './verify-items.ts'

export interface VerifiedResponse {
  /** Null for an unknown path or method. */
  operation: Operation | null
  /** The error code. */
  code: string | null
  /** Error codes of the items of a batch. */
  itemCodes: string[]
  /** Why the response is wrong. Null if it is right. */
  violation: string | null
  body: unknown
}

interface ErrorFields {
  type: string
  code: string
  status: number
  request_id: string
  doc_url: string
}

const ERROR = { $ref: '#/components/schemas/Error' }
const OPTIONAL_HEADERS = ['idempotent-replayed', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']

export function verifyResponse(
  document: ApiDocument,
  request: Request,
  response: HttpResponse,
  accounts: RequestAccounts,
): VerifiedResponse {
  const path = request.path.split(/[?#]/, 1)[0] as string
  const matching = document.operationsAt(path)
  // A path with an empty parameter is unknown, except for the methods that accept the parameter and refuse it.
  const hasEmptyParameter = path.split('/').indexOf('', 1) > 0
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const operation = matching.find((operation) => operation.method === method) ?? null
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  const body = isJson && request.method !== 'HEAD' ? read(response.text) : undefined
  const error = (body as { error?: ErrorFields } | undefined)?.error
  const violation =
    commonViolation(document, request, response, error) ??
    (operation ? null : unknownRouteViolation(request, response, error, hasEmptyParameter ? [] : matching)) ??
    (operation && error === undefined && request.method !== 'HEAD'
      ? successViolation(document, operation, request, response, accounts)
      : null) ??
    (operation ? documentViolation(document, operation, request, response, body) : null)
  const results = operation && violation === null ? resultsOf(operation, request, response) : []
  return {
    operation,
    code: error?.code ?? null,
    itemCodes: results.flatMap(({ error }) => error?.code ?? []),
    violation:
      violation ??
      (operation && results.length > 0
        ? itemViolation(document, operation, request, results, accounts)
        : null),
    body,
  }
}

/** Rules for every response. */
function commonViolation(
  document: ApiDocument,
  request: Request,
  response: HttpResponse,
  error: ErrorFields | undefined,
): string | null {
  const { status, headers } = response
  if (status === 500 || status === 0) return `it answers ${status}`
  const id = headers['x-request-id']
  if (typeof id !== 'string' || !/^req_[0-9a-f-]{36}$/.test(id)) return 'X-Request-Id is missing'
  if (headers['cache-control'] !== 'no-store') return 'Cache-Control is not no-store'
  if (status < 400 || request.method === 'HEAD') return null
  if (error === undefined) return `${status} has no error body`
  const violation = document.schemaViolation({ error }, ERROR)
  if (violation) return `the error is not as documented: ${violation}`
  if (error.status !== status) return `the error says ${error.status}, the response ${status}`
  if (error.request_id !== id) return 'request_id is not X-Request-Id'
  return error.doc_url.endsWith(`/docs/errors/${error.code}`) ? null : 'doc_url is that of another code'
}

/** An unknown path or method. */
function unknownRouteViolation(
  { method }: Request,
  { status, headers }: HttpResponse,
  error: ErrorFields | undefined,
  matching: Operation[],
): string | null {
  if (status === 400) return null
  const expected = matching.length === 0 ? 404 : 405
  if (status !== expected)
    return `${method} of a path with ${matching.length} other methods answers ${status}`
  if (error && !['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'].includes(error.code))
    return `an unknown route answers ${error.code}`
  const allowed = String(headers.allow ?? '').split(', ')
  const missing = matching.find(({ method }) => !allowed.includes(method))
  return missing ? `the header Allow lacks ${missing.method}` : null
}

function successViolation(
  document: ApiDocument,
  operation: Operation,
  request: Request,
  { status }: HttpResponse,
  accounts: RequestAccounts,
): string | null {
  const reason = rejectionReason(document, operation, request, accounts)
  return reason === null ? null : `it answers ${status}, though ${reason}`
}

/** Compares the response with the operation's documentation. */
function documentViolation(
  document: ApiDocument,
  operation: Operation,
  request: Request,
  response: HttpResponse,
  body: unknown,
): string | null {
  const { status, headers, text } = response
  const documented = operation.responses[status]
  if (!documented) return `${operation.id} does not document ${status}`
  const missing = missingHeader(documented, response)
  if (missing) return missing
  if (request.method === 'HEAD') return text === '' ? null : 'a response to HEAD has a body'
  if (!documented.content) return text === '' ? null : `${status} has a body`
  const type = String(headers['content-type']).split(';', 1)[0] as string
  const content = documented.content[type]
  if (!content) return `${operation.id} does not document ${type} for ${status}`
  const code = (body as { error?: ErrorFields } | undefined)?.error?.code
  if (code !== undefined && !errorCodesOf(documented).includes(code))
    return `${operation.id} does not document ${code}`
  if (isNdjson(type)) return linesViolation(document, content.schema['x-line-schema'] as Schema, text)
  if (type !== 'application/json') return null
  if (body === undefined) return 'its body is not JSON'
  const violation = document.schemaViolation(body, content.schema)
  return violation ? `${operation.id} ${status} is not as documented: ${violation}` : null
}

function missingHeader({ headers = {} }: ResponseObject, response: HttpResponse): string | null {
  for (const [name, { schema }] of Object.entries(headers)) {
    const value = response.headers[name.toLowerCase()]
    if (value === undefined && !OPTIONAL_HEADERS.includes(name.toLowerCase()))
      return `the header ${name} is missing`
    if (value !== undefined && schema.type === 'integer' && !/^\d+$/.test(String(value)))
      return `the header ${name} is not a number`
  }
  return null
}

function linesViolation(document: ApiDocument, schema: object, text: string): string | null {
  for (const line of text.split('\n').slice(0, -1)) {
    const violation = document.schemaViolation(read(line), schema)
    if (violation) return `a line is not as documented: ${violation}: ${line.slice(0, 200)}`
  }
  return text === '' || text.endsWith('\n') ? null : 'the last line has no line break'
}
