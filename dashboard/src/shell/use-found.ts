import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { isUuid, uuidEnds } from '../../../src/kernel/uuid.ts'
import type { ClaimSchema, Customer, TestClock } from '../api/records.ts'
import { schemasQuery } from '../claim-schemas/schemas-api.ts'
import { type AnyClaim, claimsQuery, nameOf } from '../claims/claims-api.ts'
import { customerQuery, customersQuery } from '../customers/customers-api.ts'
import { shortId } from '../format/short-id.ts'
import { testClocksQuery } from '../test-clocks/test-clocks-api.ts'
import { ACCOUNT_PLACES, PLACES } from './navigation-items.ts'

/** A search result. */
export interface Found {
  kind: 'Page' | 'Claim' | 'Candidate' | 'Customer' | 'Schema' | 'Test clock'
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
const MOST = 5

/** Records whose name, reference, alias, id or shortened id matches the text. */
export function useFound(text: string): Findings {
  const isAsked = text !== ''
  const asked = { enabled: isAsked, refetchInterval: false as const, staleTime: 10_000 }
  const claims = useQuery({ ...claimsQuery('claims', { search: text }, undefined, MOST), ...asked })
  const candidates = useQuery({ ...claimsQuery('candidates', { search: text }, undefined, MOST), ...asked })
  const customers = useQuery({ ...customersQuery({ search: text, limit: MOST }), ...asked })
  const ofId = useQuery({ ...customerQuery(text), ...asked, enabled: isUuid(text), retry: false })
  const schemas = useQuery({ ...schemasQuery, ...asked })
  const clocks = useQuery({ ...testClocksQuery(), ...asked })
  const queries: UseQueryResult[] = [claims, candidates, customers, schemas, clocks]
  if (!isAsked) return { found: [], isSearching: false, isPartial: false }
  const fits = fitting(text)
  return {
    found: [
      ...[...PLACES, ...ACCOUNT_PLACES].filter(({ name }) => fits(name)).map(ofPlace),
      ...current(claims).map(ofClaim),
      ...current(candidates).map(ofClaim),
      ...[...(ofId.data ? [ofId.data] : []), ...current(customers)].map(ofCustomer),
      ...(schemas.data ?? [])
        .filter(({ id, name }) => fits(name ?? '', id))
        .slice(0, MOST)
        .map(ofSchema),
      ...current(clocks)
        .filter(({ id, name }) => fits(name ?? '', id))
        .slice(0, MOST)
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
function fitting(text: string) {
  const wanted = text.toLowerCase()
  const ends = uuidEnds(text)
  return (name: string, id = '') =>
    name.toLowerCase().includes(wanted) ||
    (ends !== null && id.replaceAll('-', '').startsWith(ends.beginning) && id.endsWith(ends.end))
}

const ofPlace = ({ name, to }: { name: string; to: string }): Found => ({
  kind: 'Page',
  name,
  note: '',
  href: to,
})

function ofClaim(one: AnyClaim): Found {
  const name = nameOf(one)
  return 'id' in one
    ? { kind: 'Claim', name: one.reference ?? shortId(one.id), note: one.status, href: `/claims/${name}` }
    : { kind: 'Candidate', name, note: one.status, href: `/candidates/${encodeURIComponent(name)}` }
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

const ofClock = ({ id, name }: TestClock): Found => ({
  kind: 'Test clock',
  name: name ?? shortId(id),
  note: '',
  href: `/test-clocks/${id}`,
})
