import { read } from './json-text.ts'
import type { Request } from './request.ts'

const MAX_TRIES = 200

/**
 * Reduces a request to the smallest that fails in the same way: without headers, parts of the query, fields of the body.
 * A request that fails only once is not reduced.
 * @param fails whether a request still fails
 */
export async function shrink(
  request: Request,
  fails: (request: Request) => Promise<boolean>,
): Promise<Request> {
  let [shrinkFinding, tries] = [request, 0]
  for (let found = true; found && tries < MAX_TRIES; ) {
    found = false
    for (const smaller of smallerRequests(shrinkFinding)) {
      if (tries++ >= MAX_TRIES) break
      if (await fails(smaller)) {
        shrinkFinding = smaller
        found = true
        break
      }
    }
  }
  return shrinkFinding
}

function* smallerRequests(request: Request): Generator<Request> {
  for (const name of Object.keys(request.headers)) {
    const { [name]: _, ...headers } = request.headers
    yield { ...request, headers }
  }
  yield* withShorterQuery(request)
  if (request.body === null) return
  yield { ...request, body: null }
  const value = read(request.body.toString('utf8'))
  if (value === undefined) yield* withFewerBytes(request, request.body)
  else
    for (const smaller of smallerValues(value))
      yield { ...request, body: Buffer.from(JSON.stringify(smaller)) }
}

function* withShorterQuery(request: Request): Generator<Request> {
  const [path = '', query] = request.path.split(/\?(.*)/s)
  if (query === undefined) return
  const pairs = query.split('&')
  for (const at of pairs.keys()) {
    const left = pairs.toSpliced(at, 1).join('&')
    yield { ...request, path: left === '' ? path : `${path}?${left}` }
  }
}

function* withFewerBytes(request: Request, body: Buffer<ArrayBuffer>): Generator<Request> {
  for (let size = Math.ceil(body.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < body.length; at += size) {
      yield { ...request, body: Buffer.concat([body.subarray(0, at), body.subarray(at + size)]) }
    }
  }
}

/** The value without one of its parts, or with a smaller part. */
function* smallerValues(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    if (value.length > 3) yield value.slice(0, Math.ceil(value.length / 2))
    if (value.length > 3) yield value.slice(Math.ceil(value.length / 2))
    for (const [at, item] of value.entries()) {
      yield value.toSpliced(at, 1)
      for (const smaller of smallerValues(item)) yield value.with(at, smaller)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, field] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== key))
      for (const smaller of smallerValues(field)) yield { ...value, [key]: smaller }
    }
  } else if (typeof value === 'string' && value.length > 1) {
    yield value.slice(0, Math.ceil(value.length / 2))
  }
}
