import type { ReactNode } from 'react'
import { Logo } from '../components/logo.tsx'
import { PageHeader } from '../components/page-header.tsx'

interface SignedOutLayoutProps {
  title: string
  description?: ReactNode
  children: ReactNode
}

/** The layout of pages before sign-in. */
export function SignedOutLayout({ title, description, children }: SignedOutLayoutProps) {
  return (
    <main className="grid min-h-dvh content-start justify-items-center gap-8 px-4 pt-[12vh] pb-10">
      <Logo />
      <div className="w-full max-w-sm rounded-2xl border bg-surface p-6 shadow-[0_1px_3px_rgb(0_0_0/0.05)]">
        <PageHeader title={title} description={description} />
        {children}
      </div>
      <p className="max-w-sm text-center text-xs text-muted">
        Did the promised outcome happen, yes or no? Every claim is resolved by its own contract.
      </p>
    </main>
  )
}
