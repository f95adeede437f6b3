import type { ComponentProps, MouseEvent } from 'react'
import { cn } from './cn.ts'

/** A table that scrolls if it is too wide. */
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

/** A row in which a click follows its first link, with the same modifier keys. */
export const LinkRow = ({ className, ...props }: ComponentProps<'tr'>) => (
  <Tr {...props} onClick={followFirstLink} className={cn('cursor-pointer', className)} />
)

function followFirstLink(event: MouseEvent<HTMLTableRowElement>): void {
  const { target, currentTarget, ctrlKey, metaKey, shiftKey } = event
  const isOwn = target instanceof Element && target.closest('a, button, input, select, label')
  // The user is selecting text.
  if (isOwn || getSelection()?.toString()) return
  const init = { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }
  currentTarget.querySelector('a')?.dispatchEvent(new window.MouseEvent('click', init))
}
