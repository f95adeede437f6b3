import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn.ts'

export function Card({ className, ...props }: ComponentProps<'section'>) {
  return (
    <section
      {...props}
      className={cn('min-w-0 rounded-xl border bg-surface shadow-[0_1px_2px_rgb(0_0_0/0.03)]', className)}
    />
  )
}

interface CardHeaderProps {
  title: ReactNode
  description?: ReactNode
  /** Buttons at the right. */
  actions?: ReactNode
}

export function CardHeader({ title, description, actions }: CardHeaderProps) {
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-5 pt-4 pb-3">
      <div className="min-w-0">
        <h2 className="font-semibold">{title}</h2>
        {description ? <p className="text-[0.8125rem] text-muted">{description}</p> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </header>
  )
}

export function CardBody({ className, ...props }: ComponentProps<'div'>) {
  return <div {...props} className={cn('px-5 pb-5', className)} />
}
