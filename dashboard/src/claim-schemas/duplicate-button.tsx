import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import type { ClaimSchema } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { useToast } from '../components/toast.tsx'
import { createSchema } from './schemas-api.ts'

const COPY = ' (copy)'

/** Creates a copy of the schema and opens it. */
export function DuplicateButton({ schema }: { schema: ClaimSchema }) {
  const { name, description } = schema
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const creation = useMutation({
    mutationFn: () => createSchema(schema, { name: name && `${shortened(name)}${COPY}`, description }),
    onSuccess: async ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: ['schemas', 'list'] })
      toast('Schema duplicated. This is the copy.')
      await navigate({ to: '/schemas/$id', params: { id } })
    },
    onError: (error) => toast(`The schema was not duplicated. ${error.message}`),
  })
  return (
    <Button pending={creation.isPending} onClick={() => creation.mutate()}>
      <Copy aria-hidden /> Duplicate
    </Button>
  )
}

/** Cut by code points, so that no character is split. */
const shortened = (name: string) => [...name].slice(0, MAX_NAME_LENGTH - COPY.length).join('')
