import type { Random } from '../random.ts'
import { headersOf, type Identity } from './account.ts'
import type { Asker } from './asker.ts'
import type { Operation } from './document.ts'
import { someBody, validBody } from './make-body.ts'
import { pathOf, queryOf } from './make-path.ts'
import { oddHeaders } from './odd-headers.ts'
import type { Request } from './request.ts'

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
