import { useQuery } from '@tanstack/react-query'
import { schemasQuery } from '../api/schemas.ts'
import { shortId } from '../short-id.ts'

/** Calls a schema by its name, or by its id if it has none, or was deleted. */
export function useSchemaNames(): (id: string) => string {
  const { data } = useQuery(schemasQuery)
  const names = new Map(data?.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? shortId(id)
}
