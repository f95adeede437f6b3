import type { Random } from '../random.ts'

export const KINDS = [
  'customer',
  'external_id',
  'schema',
  'calendar',
  'clock',
  'claim',
  'alias',
  'token',
  'invitation',
  'endpoint',
  'delivery',
  'cursor',
] as const
export type Kind = (typeof KINDS)[number]

/** Names of each kind that are remembered: more than that would only grow. */
const MOST = 60

/** Names from answers. Later requests use them. */
export class Known {
  readonly #names = new Map<Kind, string[]>(KINDS.map((kind) => [kind, []]))

  add(kind: Kind, name: unknown): void {
    const names = this.of(kind)
    if (typeof name !== 'string' || names.includes(name)) return
    names.push(name)
    if (names.length > MOST) names.shift()
  }

  forget(kind: Kind, name: string): void {
    const names = this.of(kind)
    const at = names.indexOf(name)
    if (at >= 0) names.splice(at, 1)
  }

  pick(kind: Kind, random: Random): string | null {
    const names = this.of(kind)
    return names.length === 0 ? null : random.pick(names)
  }

  of(kind: Kind): string[] {
    return this.#names.get(kind) as string[]
  }
}

const RESOURCES: Record<string, Kind> = {
  customers: 'customer',
  schemas: 'schema',
  calendars: 'calendar',
  test_clocks: 'clock',
  claims: 'claim',
  candidates: 'alias',
  tokens: 'token',
  invitations: 'invitation',
  webhook_endpoints: 'endpoint',
  webhook_deliveries: 'delivery',
}

/** What a path's parameter names. */
export const kindOfPath = (path: string): Kind => RESOURCES[path.split('/')[2] ?? ''] ?? 'claim'

const KIND_OF_FIELD: Record<string, Kind> = {
  customer_id: 'customer',
  customer_uuid: 'external_id',
  external_id: 'external_id',
  schema_id: 'schema',
  test_clock_id: 'clock',
  claim_id: 'claim',
  candidate_alias: 'alias',
  endpoint_id: 'endpoint',
  after: 'cursor',
}

/** What a field of a body, or a parameter of a query, names; undefined if it names nothing. */
export const kindOfField = (field: string): Kind | undefined =>
  Object.hasOwn(KIND_OF_FIELD, field) ? KIND_OF_FIELD[field] : undefined

interface Named {
  id?: string
  name?: string
  external_id?: string
  candidate_alias?: string
  claim?: Named
  candidate?: Named
  next_cursor?: string | null
  data?: Named[]
  results?: Named[]
}

/** The token with which the fuzzer itself speaks must not be revoked by it. */
export const OWN_TOKEN = 'the fuzzer’s own'

/** Keeps what an answer of this path tells of. */
export function learn(known: Known, path: string, body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const { data, results, next_cursor, ...one } = body as Named
  known.add('cursor', next_cursor)
  const kind = kindOfPath(path)
  if (path.includes('/explanation') || path.includes('/events')) return
  for (const it of [one, ...(data ?? []).slice(0, 10)]) learnOne(known, kind, it)
  for (const { claim, candidate } of (results ?? []).slice(0, 10)) {
    if (claim) learnOne(known, 'claim', claim)
    if (candidate) learnOne(known, 'alias', candidate)
  }
}

function learnOne(known: Known, kind: Kind, one: Named): void {
  if (kind === 'token' && one.name === OWN_TOKEN) return
  if (one.external_id !== undefined) known.add('external_id', one.external_id)
  known.add(kind, kind === 'alias' ? one.candidate_alias : one.id)
}
