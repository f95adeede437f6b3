import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

export function Label({ className, htmlFor, ...props }: ComponentProps<'label'>) {
  // biome-ignore lint/a11y/noLabelWithoutControl: its control is named by htmlFor
  return <label {...props} htmlFor={htmlFor} className={cn('text-[0.8125rem] font-medium', className)} />
}
