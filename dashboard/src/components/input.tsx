import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

/** Shared by Input, Textarea and Select. */
export const controlClass =
  'w-full min-w-0 rounded-lg border border-line-strong/60 bg-surface px-3 text-ink shadow-xs placeholder:text-muted aria-invalid:border-failed aria-invalid:ring-1 aria-invalid:ring-failed disabled:opacity-60 max-sm:text-base'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input autoComplete="off" {...props} className={cn(controlClass, 'h-9', className)} />
}
