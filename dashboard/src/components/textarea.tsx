import type { ComponentProps } from 'react'
import { cn } from './cn.ts'
import { controlClass } from './input.tsx'

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea rows={4} {...props} className={cn(controlClass, 'py-2', className)} />
}
