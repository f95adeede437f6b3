import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../api/account.ts'
import { type LocalTime, localTimeIn } from '../local-time.ts'

/** How times are shown, and taken from fields: in the account's time zone. */
export function useLocalTime(): LocalTime {
  const { data } = useQuery(accountQuery)
  return localTimeIn(data?.time_zone)
}
