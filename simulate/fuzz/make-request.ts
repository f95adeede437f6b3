import type { Random } from '../random.ts'
import { type Identity, identityHeaders } from './account.ts'
import type { Operation } from './api-document.ts'
import type { FuzzContext } from './context.ts'
import { mutatedBody, validBody } from './make-body.ts'
import { pathOf, queryOf } from './make-path.ts'
import type { Request } from './request.ts'
import { unusualHeaders } from './unusual-headers.ts'

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

/** A request of the operation, half of them valid. */
export function makeRequest(context: FuzzContext, operation: Operation): Request {
  const { random } = context
  const isValid = random.chance(0.5)
  const method = isValid ? operation.method : methodOf(operation, random)
  const body = isValid ? validBody(context, operation) : mutatedBody(context, operation)
  const path = pathOf(context, operation, isValid) + queryOf(context, operation, isValid)
  const headers = {
    ...identityHeaders(identityOf(operation, random), context.account, context.http.url),
    ...(body === null ? {} : { 'Content-Type': body.type }),
    ...(isValid ? {} : unusualHeaders(operation, random)),
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
    'malformed',
    'none',
  ])
}
