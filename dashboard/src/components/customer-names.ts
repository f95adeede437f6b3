import { useQuery } from '@tanstack/react-query'
import { customerChoicesQuery } from '../api/customers.ts'
import { shortId } from '../short-id.ts'

/** Names a customer by its external_id, if it is among the newest hundred; otherwise by its id. */
export function useCustomerNames(): (id: string) => string {
  const { data } = useQuery(customerChoicesQuery(''))
  const names = new Map(data?.data.map((customer) => [customer.id, customer.external_id]))
  return (id) => names.get(id) ?? shortId(id)
}
