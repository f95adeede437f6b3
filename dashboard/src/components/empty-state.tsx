import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** In place of an empty page of a list whose end is not reached. */
export const MORE_TO_SEARCH = 'Only part of the list was searched. Choose Next to search further.'

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** What the list would contain and how to add it. */
  children: ReactNode
  actions?: ReactNode
}

export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-3 px-6 py-14 text-center">
      <span className="grid size-11 place-items-center rounded-xl bg-accent-soft text-accent">
        <Icon aria-hidden className="size-5" />
      </span>
      <h2 className="max-w-full text-base font-semibold wrap-anywhere">{title}</h2>
      <div className="max-w-md text-pretty text-muted">{children}</div>
      {actions ? <div className="mt-1 flex flex-wrap justify-center gap-2">{actions}</div> : null}
    </div>
  )
}
