import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { BookText, Menu } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { accountQuery } from '../api/account.ts'
import { Button } from '../components/button.tsx'
import { Logo } from '../components/logo.tsx'
import { Modal, type ModalProps } from '../components/modal.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { LocalTimeContext } from '../components/use-local-time.ts'
import { localTimeIn } from '../format/local-time.ts'
import { AccountMenu } from './account-menu.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import { Navigation } from './navigation.tsx'
import { SearchButton, SearchEverything, SearchIcon } from './search-everything.tsx'
import { Shortcuts } from './shortcuts.tsx'

/** The layout of all pages of a signed-in account. */
export function Shell() {
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-surface px-3 py-2 font-medium shadow-lg focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to content
      </a>
      <aside className="hidden border-r bg-surface lg:block">
        <div className="sticky top-0 flex h-dvh flex-col gap-4 p-3">
          <HomeLink />
          <SearchButton />
          <Navigation />
          <div className="mt-auto grid gap-0.5">
            <ReferenceLink />
            <AccountMenu side="above" />
          </div>
        </div>
      </aside>
      <TopBar />
      <Content />
      <Shortcuts />
      <SearchEverything />
    </div>
  )
}

const HomeLink = () => (
  <Link to="/" className="rounded-lg px-2.5 pt-2" aria-label="Claimkeeper, overview">
    <Logo />
  </Link>
)

const ReferenceLink = () => (
  <a
    href="/docs"
    className="flex h-9 items-center gap-2.5 rounded-lg px-2.5 font-medium text-muted hover:bg-sunken hover:text-ink"
  >
    <BookText aria-hidden className="size-4" /> API reference
  </a>
)

/** Replaces the side bar on small screens. */
function TopBar() {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="sticky top-0 z-30 flex h-13 items-center gap-1 border-b bg-surface px-2 lg:hidden">
      <Button variant="ghost" size="icon" aria-label="Menu" onClick={() => setOpen(true)}>
        <Menu aria-hidden />
      </Button>
      <Link to="/" aria-label="Claimkeeper, overview" className="flex rounded-lg px-1">
        <Logo />
      </Link>
      <div className="ml-auto flex items-center gap-1">
        <SearchIcon />
        <AccountMenu side="below" />
      </div>
      <Sheet open={isOpen} onOpenChange={setOpen} title="Menu">
        <div className="-mx-2.5 grid gap-5">
          <Navigation onChoose={() => setOpen(false)} />
          <ReferenceLink />
        </div>
      </Sheet>
    </div>
  )
}

function Content() {
  const main = useFocusAfterNavigation()
  const { data: account } = useQuery(accountQuery)
  return (
    <main ref={main} id="main" tabIndex={-1} className="min-w-0 outline-none">
      <ConnectionNotice />
      <div className="mx-auto max-w-6xl px-4 py-6 sm:px-6 lg:px-8 lg:py-8">
        <Suspense fallback={<PageSkeleton />}>
          <LocalTimeContext value={localTimeIn(account?.time_zone)}>
            <Outlet />
          </LocalTimeContext>
        </Suspense>
      </div>
    </main>
  )
}

/** Moves the focus to the top after navigation, for keyboards and screen readers. */
function useFocusAfterNavigation() {
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current && path && shown.current !== path) main.current?.focus({ preventScroll: true })
    shown.current = path
  }, [path])
  return main
}

function PageSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-6">
      <Skeleton className="h-7 w-48" />
      <Skeleton className="h-72 rounded-xl" />
    </div>
  )
}

/** A panel at the left edge: the navigation on a phone. */
function Sheet(props: ModalProps) {
  return (
    <Modal
      {...props}
      className="m-0 h-dvh max-h-none w-72 max-w-[85vw] animate-appear overflow-y-auto border-r shadow-2xl"
    />
  )
}
