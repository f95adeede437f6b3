import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

/** A placeholder while content loads. */
export function Skeleton({ className, ...props }: ComponentProps<'div'>) {
  return <div aria-hidden {...props} className={cn('h-4 animate-pulse rounded-md bg-line/70', className)} />
}

/** Placeholder rows while a list loads. */
export function SkeletonRows({ rows = 8 }: { rows?: number }) {
  return (
    <div className="grid gap-0" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={i} className="flex h-11 items-center gap-6 border-b px-5 last:border-b-0">
          <Skeleton className="w-1/4" />
          <Skeleton className="w-20" />
          <Skeleton className="ml-auto w-24" />
        </div>
      ))}
    </div>
  )
}
