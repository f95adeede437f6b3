import type { ComponentProps, MouseEvent } from 'react'
import { cn } from './cn.ts'

/** Scrolls within itself if it is wider than its place. */
export function Table({ className, children, ...props }: ComponentProps<'table'>) {
  return (
    <div className="overflow-x-auto">
      <table {...props} className={cn('w-full border-collapse text-left', className)}>
        {children}
      </table>
    </div>
  )
}

export function Th({ className, ...props }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      {...props}
      className={cn(
        'border-b px-4 py-2 text-xs font-medium whitespace-nowrap text-muted first:pl-5 last:pr-5',
        className,
      )}
    />
  )
}

export function Td({ className, ...props }: ComponentProps<'td'>) {
  return <td {...props} className={cn('px-4 py-2.5 align-middle first:pl-5 last:pr-5', className)} />
}

export function Tr({ className, ...props }: ComponentProps<'tr'>) {
  return (
    <tr
      {...props}
      className={cn('border-b last:border-b-0 hover:bg-sunken/60 has-focus-visible:bg-sunken/60', className)}
    />
  )
}

/** A row that is about what its first link leads to: a click anywhere in it goes there, with the keys that are held. */
export const LinkRow = ({ className, ...props }: ComponentProps<'tr'>) => (
  <Tr {...props} onClick={followFirstLink} className={cn('cursor-pointer', className)} />
)

function followFirstLink(event: MouseEvent<HTMLTableRowElement>): void {
  const { target, currentTarget, ctrlKey, metaKey, shiftKey } = event
  const isOwn = target instanceof Element && target.closest('a, button, input, select, label')
  // Whoever marks text in it does not want to leave.
  if (isOwn || getSelection()?.toString()) return
  const init = { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }
  currentTarget.querySelector('a')?.dispatchEvent(new window.MouseEvent('click', init))
}
