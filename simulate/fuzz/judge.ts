import { type Answers, type ApiDocument, codesOf, type Operation, type Schema } from './document.ts'
import { read } from './json-text.ts'
import { itemFlaw, resultsOf } from './judge-items.ts'
import { isLines, type Parties, reasonToFail } from './must-fail.ts'
import type { Answer, Request } from './request.ts'

/** What a request and its answer came to. */
export interface Verdict {
  /** Null if the path or the method belongs to none. */
  operation: Operation | null
  /** Of an error. */
  code: string | null
  /** Codes of the items that a batch refused. */
  itemCodes: string[]
  /** What should not be; null if all is well. */
  flaw: string | null
  body: unknown
}

interface ErrorFields {
  type: string
  code: string
  status: number
  request_id: string
  doc_url: string
}

/** The common body. */
const ERROR = { $ref: '#/components/schemas/Error' }
/** Headers that are only there sometimes, as their description says. */
const SOMETIMES = ['idempotent-replayed', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']

export function judge(document: ApiDocument, request: Request, answer: Answer, parties: Parties): Verdict {
  const path = request.path.split(/[?#]/, 1)[0] as string
  const here = document.operationsAt(path)
  // A path that lacks a name is none but for the methods that would take it, and then refuse it.
  const lacksName = path.split('/').indexOf('', 1) > 0
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const operation = here.find((one) => one.method === method) ?? null
  const isJson = String(answer.headers['content-type']).startsWith('application/json')
  const body = isJson && request.method !== 'HEAD' ? read(answer.text) : undefined
  const error = (body as { error?: ErrorFields } | undefined)?.error
  const flaw =
    commonFlaw(document, request, answer, error) ??
    (operation ? null : flawOfUnknown(request, answer, error, lacksName ? [] : here)) ??
    (operation && error === undefined && request.method !== 'HEAD'
      ? successFlaw(document, operation, request, answer, parties)
      : null) ??
    (operation ? documentedFlaw(document, operation, request, answer, body) : null)
  const results = operation && flaw === null ? resultsOf(operation, request, answer) : []
  return {
    operation,
    code: error?.code ?? null,
    itemCodes: results.flatMap(({ error }) => error?.code ?? []),
    flaw:
      flaw ??
      (operation && results.length > 0 ? itemFlaw(document, operation, request, results, parties) : null),
    body,
  }
}

/** What holds of every answer. */
function commonFlaw(
  document: ApiDocument,
  request: Request,
  answer: Answer,
  error: ErrorFields | undefined,
): string | null {
  const { status, headers } = answer
  if (status === 500 || status === 0) return `it answers ${status}`
  const id = headers['x-request-id']
  if (typeof id !== 'string' || !/^req_[0-9a-f-]{36}$/.test(id)) return 'X-Request-Id is missing'
  if (headers['cache-control'] !== 'no-store') return 'Cache-Control is not no-store'
  if (status < 400 || request.method === 'HEAD') return null
  if (error === undefined) return `${status} comes without the common body of errors`
  const flaw = document.flawOf({ error }, ERROR)
  if (flaw) return `the error is not as documented: ${flaw}`
  if (error.status !== status) return `the error says ${error.status}, its answer ${status}`
  if (error.request_id !== id) return 'request_id is not X-Request-Id'
  return error.doc_url.endsWith(`/docs/errors/${error.code}`) ? null : 'doc_url is of another code'
}

/** Of a path or a method that there is not. */
function flawOfUnknown(
  { method }: Request,
  { status, headers }: Answer,
  error: ErrorFields | undefined,
  here: Operation[],
): string | null {
  if (status === 400) return null
  const expected = here.length === 0 ? 404 : 405
  if (status !== expected)
    return `a path with ${here.length} methods, of which ${method} is none, answers ${status}`
  if (error && !['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'].includes(error.code))
    return `an unknown route answers ${error.code}`
  const allowed = String(headers.allow ?? '').split(', ')
  const missing = here.find((one) => !allowed.includes(one.method))
  return missing ? `the header Allow lacks ${missing.method}` : null
}

function successFlaw(
  document: ApiDocument,
  operation: Operation,
  request: Request,
  { status }: Answer,
  parties: Parties,
): string | null {
  const reason = reasonToFail(document, operation, request, parties)
  return reason === null ? null : `it answers ${status}, though ${reason}`
}

/** Of what the operation says that it answers. */
function documentedFlaw(
  document: ApiDocument,
  operation: Operation,
  request: Request,
  answer: Answer,
  body: unknown,
): string | null {
  const { status, headers, text } = answer
  const documented = operation.responses[status]
  if (!documented) return `${operation.id} does not document ${status}`
  const missing = missingHeader(documented, answer)
  if (missing) return missing
  if (request.method === 'HEAD') return text === '' ? null : 'an answer to HEAD has a body'
  if (!documented.content) return text === '' ? null : `${status} has a body`
  const type = String(headers['content-type']).split(';', 1)[0] as string
  const content = documented.content[type]
  if (!content) return `${operation.id} does not document ${type} for ${status}`
  const code = (body as { error?: ErrorFields } | undefined)?.error?.code
  if (code !== undefined && !codesOf(documented).includes(code))
    return `${operation.id} does not document ${code}`
  if (isLines(type)) return flawOfLines(document, content.schema['x-line-schema'] as Schema, text)
  if (type !== 'application/json') return null
  if (body === undefined) return 'its body is no JSON'
  const flaw = document.flawOf(body, content.schema)
  return flaw ? `${operation.id} ${status} is not as documented: ${flaw}` : null
}

function missingHeader({ headers = {} }: Answers, answer: Answer): string | null {
  for (const [name, { schema }] of Object.entries(headers)) {
    const value = answer.headers[name.toLowerCase()]
    if (value === undefined && !SOMETIMES.includes(name.toLowerCase())) return `the header ${name} is missing`
    if (value !== undefined && schema.type === 'integer' && !/^\d+$/.test(String(value)))
      return `the header ${name} is no number`
  }
  return null
}

function flawOfLines(document: ApiDocument, schema: object, text: string): string | null {
  for (const line of text.split('\n').slice(0, -1)) {
    const flaw = document.flawOf(read(line), schema)
    if (flaw) return `a line is not as documented: ${flaw}: ${line.slice(0, 200)}`
  }
  return text === '' || text.endsWith('\n') ? null : 'the last line does not end'
}
