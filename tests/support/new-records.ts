import { randomUUID } from 'node:crypto'
import type { Answer, ApiClient } from './api-client.ts'
import { calendarWith } from './calendars.ts'
import { contractWith } from './contracts.ts'
import type { Calendar } from './source/calendars.ts'
import type { Contract } from './source/contracts.ts'

/** A name that no other test uses. It has at least 8 characters, so it may be an alias. */
export const uniqueName = (prefix = 'name') => `${prefix}-${randomUUID()}`

/** A new customer: its `id` and `external_id`. */
export async function newCustomer(api: ApiClient): Promise<{ id: string; external_id: string }> {
  return created(await api.post('/v1/customers', { external_id: uniqueName('customer') }))
}

/** A new claim of a new customer, as a read returns it: without hints. */
export async function newClaim(api: ApiClient, terms: Partial<Contract> = {}): Promise<Answer['body']> {
  return withoutHints(await api.claim((await newCustomer(api)).id, contractWith(terms)))
}

interface CandidateDetails {
  alias?: string
  terms?: Partial<Contract>
  customer?: { external_id: string }
}

/** A new candidate, by default of a new customer, as a read returns it: without hints. */
export async function newCandidate(
  api: ApiClient,
  { alias = uniqueName('candidate'), terms = {}, customer }: CandidateDetails = {},
): Promise<Answer['body']> {
  const body = candidateBody(alias, customer ?? (await newCustomer(api)), terms)
  return withoutHints(created(await api.post('/v1/candidates', body)))
}

/** The body of a creation of a candidate. */
export const candidateBody = (
  alias: string,
  { external_id }: { external_id: string },
  terms: Partial<Contract> = {},
) => ({ candidate_alias: alias, customer_uuid: external_id, contract: contractWith(terms) })

export async function newSchema(api: ApiClient, terms: Partial<Contract> = {}): Promise<Answer['body']> {
  return created(await api.post('/v1/schemas', { contract: contractWith(terms) }))
}

/** A new calendar: Monday to Friday, 09:00 to 17:00 in Berlin. */
export async function newCalendar(api: ApiClient, changes: Partial<Calendar> = {}): Promise<Answer['body']> {
  return created(await api.post('/v1/calendars', calendarWith(changes)))
}

/** A new test clock's id. */
export async function newClock(api: ApiClient, frozenTime = '2026-01-01T00:00:00.000Z'): Promise<string> {
  return created(await api.post('/v1/test_clocks', { frozen_time: frozenTime })).id
}

export const candidatePath = (alias: string) => `/v1/candidates/${encodeURIComponent(alias)}`

function withoutHints({ hints: _, ...record }: Answer['body']): Answer['body'] {
  return record
}

function created({ status, body }: Answer): Answer['body'] {
  if (status !== 201) throw new Error(`expected 201, got ${status}: ${JSON.stringify(body)}`)
  return body
}
