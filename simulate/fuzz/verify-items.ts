import { type ApiDocument, errorCodesOf, type Operation } from './api-document.ts'
import { read, withoutByteOrderMark } from './json-text.ts'
import { foreignIdReason, isNdjson, listOf, type RequestAccounts } from './rejection-reason.ts'
import type { HttpResponse, Request } from './request.ts'

/** The result of an item of a batch or of a line. */
export interface Result {
  status: number
  error?: { code: string }
}

/** The operation for a single item, by the batch operation. */
const SINGLE_FORMS: Record<string, string> = {
  submitEvents: 'submitEvent',
  createClaims: 'createClaim',
  createCandidates: 'createCandidate',
}

/** The results of a batch. Empty for other operations and for a refused batch. */
export function resultsOf(
  operation: Operation,
  request: Request,
  { status, headers, text }: HttpResponse,
): Result[] {
  if (status !== 200 || listOf(operation) === null || request.method === 'HEAD') return []
  if (isNdjson(String(headers['content-type']))) return text.split('\n').slice(0, -1).map(read) as Result[]
  return (read(text) as { results: Result[] }).results
}

/** Compares each result with the documentation of the single operation. */
export function itemViolation(
  document: ApiDocument,
  operation: Operation,
  request: Request,
  results: Result[],
  accounts: RequestAccounts,
): string | null {
  const single = document.operation(SINGLE_FORMS[operation.id] as string)
  const codes = new Set(Object.values(single.responses).flatMap(errorCodesOf))
  const items = itemsOf(operation, request)
  if (items.length !== results.length) return `${items.length} items have ${results.length} results`
  for (const [i, { status, error }] of results.entries()) {
    if (error && (error.code === 'INTERNAL_ERROR' || !codes.has(error.code)))
      return `an item is refused with ${error.code}, which ${single.id} does not answer`
    const violation = status < 300 ? reasonOf(document, single, items[i], accounts) : null
    if (violation)
      return `an item answers ${status}, though ${violation}: ${JSON.stringify(items[i]).slice(0, 300)}`
  }
  return null
}

function reasonOf(
  document: ApiDocument,
  single: Operation,
  item: unknown,
  accounts: RequestAccounts,
): string | null {
  const schema = single.bodies['application/json']?.schema ?? {}
  if (item === undefined) return 'it is not JSON'
  return document.schemaViolation(item, schema) ?? foreignIdReason(single, item, accounts)
}

/** Undefined for an item that is not JSON. */
function itemsOf(operation: Operation, { headers, body }: Request): unknown[] {
  const text = withoutByteOrderMark(body?.toString('utf8') ?? '')
  if (!isNdjson(headers['Content-Type'] ?? '')) {
    return (read(text) as Record<string, unknown[]>)[listOf(operation) as string] ?? []
  }
  return text
    .split('\n')
    .filter((line) => /[^ \t\r]/.test(line))
    .map(read)
}
