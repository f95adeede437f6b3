import { type ReactNode, useEffect } from 'react'

interface PageHeaderProps {
  /** The heading. If it is not plain text, `documentTitle` is needed. */
  title: ReactNode
  documentTitle?: string
  description?: ReactNode
  actions?: ReactNode
}

/** The heading of the page, also the title of the browser tab. */
export function PageHeader({ title, documentTitle, description, actions }: PageHeaderProps) {
  const name = documentTitle ?? (typeof title === 'string' ? title : '')
  useEffect(() => {
    document.title = name ? `${name} · Claimkeeper` : 'Claimkeeper'
  }, [name])
  return (
    <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 grow basis-72">
        <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
        {description ? <div className="mt-0.5 max-w-2xl text-muted">{description}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </header>
  )
}
