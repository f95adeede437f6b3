import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { isUuid, uuidEnds } from '../../../src/kernel/uuid.ts'
import type { CalendarRecord, ClaimSchema, Customer, TestClock } from '../api/records.ts'
import { calendarsQuery } from '../calendars/calendars-api.ts'
import { schemasQuery } from '../claim-schemas/schemas-api.ts'
import { type AnyClaim, claimsQuery, nameOf } from '../claims/claims-api.ts'
import { customerQuery, customersQuery } from '../customers/customers-api.ts'
import { shortId } from '../format/short-id.ts'
import { testClocksQuery } from '../test-clocks/test-clocks-api.ts'
import { ACCOUNT_PAGES, MAIN_PAGES } from './navigation-items.ts'

/** A search result. */
export interface Found {
  kind: 'Page' | 'Claim' | 'Candidate' | 'Customer' | 'Schema' | 'Calendar' | 'Test clock'
  name: string
  /** An additional text, or empty. */
  note: string
  href: string
}

export interface Findings {
  found: readonly Found[]
  isSearching: boolean
  /** Whether a part of the search failed. */
  isPartial: boolean
}

/** Maximum results per kind. */
const MAX_RESULTS = 5

/** Records whose name, reference, alias, id or shortened id matches the text. */
export function useFound(text: string): Findings {
  const isActive = text !== ''
  const options = { enabled: isActive, refetchInterval: false as const, staleTime: 10_000 }
  const claims = useQuery({ ...claimsQuery('claims', { search: text }, undefined, MAX_RESULTS), ...options })
  const candidates = useQuery({
    ...claimsQuery('candidates', { search: text }, undefined, MAX_RESULTS),
    ...options,
  })
  const customers = useQuery({ ...customersQuery({ search: text, limit: MAX_RESULTS }), ...options })
  const ofId = useQuery({ ...customerQuery(text), ...options, enabled: isUuid(text), retry: false })
  const schemas = useQuery({ ...schemasQuery, ...options })
  const calendars = useQuery({ ...calendarsQuery, ...options })
  const clocks = useQuery({ ...testClocksQuery(), ...options })
  const queries: UseQueryResult[] = [claims, candidates, customers, schemas, calendars, clocks]
  if (!isActive) return { found: [], isSearching: false, isPartial: false }
  const matches = matcherOf(text)
  return {
    found: [
      ...[...MAIN_PAGES, ...ACCOUNT_PAGES].filter(({ name }) => matches(name)).map(ofPage),
      ...current(claims).map(ofClaim),
      ...current(candidates).map(ofClaim),
      ...[...(ofId.data ? [ofId.data] : []), ...current(customers)].map(ofCustomer),
      ...(schemas.data ?? [])
        .filter(({ id, name }) => matches(name ?? '', id))
        .slice(0, MAX_RESULTS)
        .map(ofSchema),
      ...(calendars.data ?? [])
        .filter(({ id, name }) => matches(name, id))
        .slice(0, MAX_RESULTS)
        .map(ofCalendar),
      ...current(clocks)
        .filter(({ id, name }) => matches(name ?? '', id))
        .slice(0, MAX_RESULTS)
        .map(ofClock),
    ],
    isSearching: [...queries, ofId].some(
      ({ isFetching, isPlaceholderData }) => isFetching || isPlaceholderData,
    ),
    isPartial: queries.some(({ isError }) => isError),
  }
}

/** Ignores results of the previous text. */
const current = <T>({ data, isPlaceholderData }: UseQueryResult<{ data: T[] }>): T[] =>
  isPlaceholderData ? [] : (data?.data ?? [])

/** Whether a name contains the text, or an id starts with it or has it as its short form. */
function matcherOf(text: string) {
  const wanted = text.toLowerCase()
  const ends = uuidEnds(text)
  return (name: string, id = '') =>
    name.toLowerCase().includes(wanted) ||
    (ends !== null && id.replaceAll('-', '').startsWith(ends.beginning) && id.endsWith(ends.end))
}

const ofPage = ({ name, to }: { name: string; to: string }): Found => ({
  kind: 'Page',
  name,
  note: '',
  href: to,
})

function ofClaim(claim: AnyClaim): Found {
  const name = nameOf(claim)
  return 'id' in claim
    ? {
        kind: 'Claim',
        name: claim.reference ?? shortId(claim.id),
        note: claim.status,
        href: `/claims/${name}`,
      }
    : { kind: 'Candidate', name, note: claim.status, href: `/candidates/${encodeURIComponent(name)}` }
}

const ofCustomer = ({ id, external_id, name }: Customer): Found => ({
  kind: 'Customer',
  name: external_id,
  note: name ?? '',
  href: `/customers/${id}`,
})

const ofSchema = ({ id, name }: ClaimSchema): Found => ({
  kind: 'Schema',
  name: name ?? shortId(id),
  note: '',
  href: `/schemas/${id}`,
})

const ofCalendar = ({ id, name, time_zone }: CalendarRecord): Found => ({
  kind: 'Calendar',
  name,
  note: time_zone,
  href: `/calendars/${id}`,
})

const ofClock = ({ id, name }: TestClock): Found => ({
  kind: 'Test clock',
  name: name ?? shortId(id),
  note: '',
  href: `/test-clocks/${id}`,
})
