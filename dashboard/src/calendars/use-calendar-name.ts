import { useQuery } from '@tanstack/react-query'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import { calendarQuery } from './calendars-api.ts'

/** The name of the contract's calendar. Undefined without a calendar, and until it is known. */
export function useCalendarName({ clock }: Pick<Contract, 'clock'>): string | undefined {
  const id = clock?.calendar?.id
  return useQuery({ ...calendarQuery(id ?? ''), enabled: id !== undefined, retry: false }).data?.name
}
