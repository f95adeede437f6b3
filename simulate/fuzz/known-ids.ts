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

const MAX_IDS_PER_KIND = 60

/** Ids and names from responses, for later requests. */
export class KnownIds {
  readonly #names = new Map<Kind, string[]>(KINDS.map((kind) => [kind, []]))

  add(kind: Kind, name: unknown): void {
    const names = this.of(kind)
    if (typeof name !== 'string' || names.includes(name)) return
    names.push(name)
    if (names.length > MAX_IDS_PER_KIND) names.shift()
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

/** The kind of record that a path's parameter identifies. */
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

/** The kind of record that a field or query parameter identifies. Undefined for none. */
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

/** Name of the token that the fuzzer uses. It must not revoke it. */
export const OWN_TOKEN = 'fuzzer'

export function addIdsFromResponse(known: KnownIds, path: string, body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const { data, results, next_cursor, ...record } = body as Named
  known.add('cursor', next_cursor)
  const kind = kindOfPath(path)
  if (path.includes('/explanation') || path.includes('/events')) return
  for (const it of [record, ...(data ?? []).slice(0, 10)]) addIds(known, kind, it)
  for (const { claim, candidate } of (results ?? []).slice(0, 10)) {
    if (claim) addIds(known, 'claim', claim)
    if (candidate) addIds(known, 'alias', candidate)
  }
}

function addIds(known: KnownIds, kind: Kind, record: Named): void {
  if (kind === 'token' && record.name === OWN_TOKEN) return
  if (record.external_id !== undefined) known.add('external_id', record.external_id)
  known.add(kind, kind === 'alias' ? record.candidate_alias : record.id)
}
