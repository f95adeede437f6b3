import { useQuery } from '@tanstack/react-query'
import { shortId } from '../format/short-id.ts'
import { customerChoicesQuery } from './customers-api.ts'

/** The external_id of a customer if it is among the newest hundred, otherwise its id. */
export function useCustomerNames(): (id: string) => string {
  const { data } = useQuery(customerChoicesQuery(''))
  const names = new Map(data?.data.map((customer) => [customer.id, customer.external_id]))
  return (id) => names.get(id) ?? shortId(id)
}
