import { type ComponentProps, type KeyboardEvent, useLayoutEffect, useRef } from 'react'
import { cn } from './cn.ts'

/** Buttons with one tab stop. Arrow keys, Home and End move between them. */
export function Toolbar({ className, ...props }: ComponentProps<'div'> & { 'aria-label': string }) {
  const bar = useRef<HTMLDivElement>(null)
  const last = useRef<Element | null>(null)
  const buttons = () => [...(bar.current?.querySelectorAll('button') ?? [])]
  const mark = () => {
    const all = buttons()
    const stop = all.find((button) => button === last.current) ?? all[0]
    for (const button of all) {
      const index = button === stop ? 0 : -1
      if (button.tabIndex !== index) button.tabIndex = index
    }
  }
  useLayoutEffect(mark)
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const all = buttons()
    const to = goal(event, all.indexOf(event.target as HTMLButtonElement), all.length)
    if (to === null) return
    event.preventDefault()
    all[to]?.focus()
  }
  return (
    <div
      {...props}
      ref={bar}
      role="toolbar"
      className={cn('flex flex-wrap items-center', className)}
      onKeyDown={onKeyDown}
      onFocus={({ target }) => {
        last.current = target
        mark()
      }}
    />
  )
}

/** The index of the button that the key moves to, or null. */
function goal(event: KeyboardEvent<HTMLDivElement>, from: number, count: number): number | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null
  const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
  switch (event.key) {
    case 'Home':
      return 0
    case 'End':
      return count - 1
    case 'ArrowLeft':
    case 'ArrowRight':
      return (from + (event.key === forward ? 1 : -1) + count) % count
    default:
      return null
  }
}
