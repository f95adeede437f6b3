import { CloudOff, SearchX, ServerCrash } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { ApiError, NetworkError } from '../../api/client.ts'
import { Button } from './button.tsx'

interface ErrorStateProps {
  error: unknown
  retry?: (() => void) | undefined
  /** Fills a page that has no other heading. */
  isPage?: boolean
}

/** What failed, in words, and a way on. */
export function ErrorState({ error, retry, isPage = false }: ErrorStateProps) {
  if (error instanceof NetworkError) {
    return (
      <State icon={CloudOff} title="The service cannot be reached" retry={retry} isPage={isPage}>
        It may be restarting, or your connection is down. This page goes on by itself when it answers again.
      </State>
    )
  }
  if (error instanceof ApiError && error.status === 404)
    return <NotFoundState message={error.message} isPage={isPage} />
  // An id that cannot be one, mistyped in the address.
  if (error instanceof ApiError && error.status === 400 && isPage)
    return <NotFoundState message="There is no such record." />
  if (error instanceof ApiError && error.status === 503) {
    return (
      <State icon={ServerCrash} title="The service is not available just now" retry={retry} isPage={isPage}>
        {error.message}
      </State>
    )
  }
  const message = error instanceof Error ? error.message : String(error)
  return (
    <State icon={ServerCrash} title="That did not work" retry={retry} isPage={isPage}>
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

/** A record or a page that is not there, or not for this account. */
export function NotFoundState({ message, isPage = true, children }: NotFoundStateProps) {
  return (
    <State icon={SearchX} title="Not found" isPage={isPage}>
      {message ?? 'There is no such page.'}
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

/** In place of what a page would show. */
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
