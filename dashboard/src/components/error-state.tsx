import { CloudOff, SearchX, ServerCrash } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { ApiError, NetworkError } from '../api/client.ts'
import { Button } from './button.tsx'

interface ErrorStateProps {
  error: unknown
  retry?: (() => void) | undefined
  /** Whether it replaces the whole page, heading included. */
  isPage?: boolean
}

/** An error with a button to try again. */
export function ErrorState({ error, retry, isPage = false }: ErrorStateProps) {
  if (error instanceof NetworkError) {
    return (
      <State icon={CloudOff} title="The service cannot be reached" retry={retry} isPage={isPage}>
        It may be restarting, or your connection is down. This page continues automatically once the service
        answers.
      </State>
    )
  }
  if (error instanceof ApiError && error.status === 404)
    return <NotFoundState message={error.message} isPage={isPage} />
  // A mistyped id in the URL.
  if (error instanceof ApiError && error.status === 400 && isPage)
    return <NotFoundState message="This record does not exist." />
  if (error instanceof ApiError && error.status === 503) {
    return (
      <State icon={ServerCrash} title="The service is temporarily unavailable" retry={retry} isPage={isPage}>
        {error.message}
      </State>
    )
  }
  const message = error instanceof Error ? error.message : String(error)
  return (
    <State icon={ServerCrash} title="Something went wrong" retry={retry} isPage={isPage}>
      {message}
      {error instanceof ApiError && error.requestId ? (
        <span className="mt-2 block font-mono text-xs">{error.requestId}</span>
      ) : null}
    </State>
  )
}

interface NotFoundStateProps {
  message?: string
  isPage?: boolean
  children?: ReactNode
}

/** A record or page that does not exist, or belongs to another account. */
export function NotFoundState({ message, isPage = true, children }: NotFoundStateProps) {
  return (
    <State icon={SearchX} title="Not found" isPage={isPage}>
      {message ?? 'This page does not exist.'}
      {children}
    </State>
  )
}

interface StateProps {
  icon: typeof CloudOff
  title: string
  retry?: (() => void) | undefined
  isPage: boolean
  children: ReactNode
}

/** Replaces the content of a page or card. */
export function State({ icon: Icon, title, retry, isPage, children }: StateProps) {
  const Heading = isPage ? 'h1' : 'h2'
  useEffect(() => {
    if (isPage) document.title = `${title} · Claimkeeper`
  }, [isPage, title])
  return (
    <div role="alert" className="grid justify-items-center gap-3 px-6 py-16 text-center">
      <Icon aria-hidden className="size-8 text-muted" />
      <Heading className="text-base font-semibold">{title}</Heading>
      <div className="max-w-md text-muted">{children}</div>
      {retry ? <Button onClick={retry}>Try again</Button> : null}
    </div>
  )
}
