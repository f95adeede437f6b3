import { type ApiDocument, codesOf, type Operation } from './document.ts'
import { read, withoutMark } from './json-text.ts'
import { foreignFlaw, isLines, listOf, type Parties } from './must-fail.ts'
import type { Answer, Request } from './request.ts'

/** What an item of a batch, or a line of a stream, came to. */
export interface Result {
  status: number
  error?: { code: string }
}

/** Operations that take one of what a batch holds. */
const SINGLE_FORMS: Record<string, string> = {
  submitEvents: 'submitEvent',
  createClaims: 'createClaim',
  createCandidates: 'createCandidate',
}

/** The results of a batch; none if it is no batch, or was refused as a whole. */
export function resultsOf(
  operation: Operation,
  request: Request,
  { status, headers, text }: Answer,
): Result[] {
  if (status !== 200 || listOf(operation) === null || request.method === 'HEAD') return []
  if (isLines(String(headers['content-type']))) return text.split('\n').slice(0, -1).map(read) as Result[]
  return (read(text) as { results: Result[] }).results
}

/** What the results should not be, by what the single form takes and answers; null if all is well. */
export function itemFlaw(
  document: ApiDocument,
  operation: Operation,
  request: Request,
  results: Result[],
  parties: Parties,
): string | null {
  const single = document.operation(SINGLE_FORMS[operation.id] as string)
  const codes = new Set(Object.values(single.responses).flatMap(codesOf))
  const items = itemsOf(operation, request)
  if (items.length !== results.length) return `${items.length} items have ${results.length} results`
  for (const [i, { status, error }] of results.entries()) {
    if (error && (error.code === 'INTERNAL_ERROR' || !codes.has(error.code)))
      return `an item is refused with ${error.code}, which ${single.id} does not answer`
    const flaw = status < 300 ? reasonOf(document, single, items[i], parties) : null
    if (flaw) return `an item answers ${status}, though ${flaw}: ${JSON.stringify(items[i]).slice(0, 300)}`
  }
  return null
}

function reasonOf(document: ApiDocument, single: Operation, item: unknown, parties: Parties): string | null {
  const schema = single.bodies['application/json']?.schema ?? {}
  if (item === undefined) return 'it is no JSON'
  return document.flawOf(item, schema) ?? foreignFlaw(single, item, parties)
}

/** Each as others read it; undefined for what is no JSON. */
function itemsOf(operation: Operation, { headers, body }: Request): unknown[] {
  const text = withoutMark(body?.toString('utf8') ?? '')
  if (!isLines(headers['Content-Type'] ?? '')) {
    return (read(text) as Record<string, unknown[]>)[listOf(operation) as string] ?? []
  }
  return text
    .split('\n')
    .filter((line) => /[^ \t\r]/.test(line))
    .map(read)
}
