import { useQuery } from '@tanstack/react-query'
import { shortId } from '../format/short-id.ts'
import { schemasQuery } from './schemas-api.ts'

/** The name of a schema, or its id if it has no name or was deleted. */
export function useSchemaNames(): (id: string) => string {
  const nameOf = useKnownSchemaNames()
  return (id) => nameOf(id) ?? shortId(id)
}

/** The name of a schema, or null. */
export function useKnownSchemaNames(): (id: string) => string | null {
  const { data } = useQuery(schemasQuery)
  const names = new Map(data?.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? null
}
