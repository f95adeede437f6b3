import { CircleAlert } from 'lucide-react'
import { ApiError, NetworkError } from '../api/client.ts'

interface FormErrorProps {
  error: unknown
  /** Paths whose errors are shown at their fields. */
  shownPaths?: readonly string[]
}

/** The error of a request, without the errors that are shown at fields. */
export function FormError({ error, shownPaths = [] }: FormErrorProps) {
  if (!error) return null
  const messages = messagesOf(error, shownPaths)
  if (messages.length === 0) return null
  return (
    <div role="alert" className="flex gap-2.5 rounded-lg bg-failed-soft px-3 py-2.5 text-failed">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <ul className="grid min-w-0 gap-1 wrap-anywhere">
        {messages.map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </div>
  )
}

function messagesOf(error: unknown, shownPaths: readonly string[]): string[] {
  if (error instanceof NetworkError) return ['The service cannot be reached. Try again in a moment.']
  if (!(error instanceof ApiError)) return [error instanceof Error ? error.message : String(error)]
  if (error.details.length === 0) return [error.message]
  return error.details
    .filter(({ path }) => !shownPaths.includes(path))
    .map(({ path, message }) => `${path} ${message}`)
}
