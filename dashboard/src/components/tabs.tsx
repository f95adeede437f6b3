import * as Radix from '@radix-ui/react-tabs'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

export const Tabs = Radix.Root

export function TabsList({ className, ...props }: ComponentProps<typeof Radix.List>) {
  return <Radix.List {...props} className={cn('flex gap-1 overflow-x-auto border-b px-4', className)} />
}

export function TabsTrigger({ className, ...props }: ComponentProps<typeof Radix.Trigger>) {
  return (
    <Radix.Trigger
      {...props}
      className={cn(
        '-mb-px border-b-2 border-transparent px-2.5 py-2.5 font-medium whitespace-nowrap text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink',
        className,
      )}
    />
  )
}

export const TabsContent = Radix.Content
