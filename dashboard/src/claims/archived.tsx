import { Archive } from 'lucide-react'
import { ApiError } from '../api/client.ts'
import { State } from '../components/error-state.tsx'

export const isArchived = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'CLAIM_ARCHIVED'

/** The page of an archived claim or candidate. It is not shown as an error. */
export const Archived = ({ error }: { error: ApiError }) => (
  <State icon={Archive} title="Archived" isPage>
    <p className="break-words">{error.message}</p>
    <p className="mt-2">
      It was resolved long ago. The archive keeps it with its contract and events. The operator of the service
      can restore it.
    </p>
  </State>
)
