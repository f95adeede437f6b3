import { Archive } from 'lucide-react'
import { ApiError } from '../../api/client.ts'
import { State } from '../../components/ui/error-state.tsx'

export const isArchived = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'CLAIM_ARCHIVED'

/** Of a claim or candidate that has left the service: nothing failed. */
export const Archived = ({ error }: { error: ApiError }) => (
  <State icon={Archive} title="Archived" isPage>
    <p className="break-words">{error.message}</p>
    <p className="mt-2">
      It was resolved long ago and is kept there with its contract and its events. Whoever runs the service
      can bring it back.
    </p>
  </State>
)
