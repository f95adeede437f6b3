import { type ReactNode, useEffect, useRef } from 'react'

/** A step of a dialog after the first. It takes the focus, because the focused control is gone. */
export function Step({ label, children }: { label: string; children: ReactNode }) {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => ref.current?.focus(), [])
  return (
    <section ref={ref} tabIndex={-1} aria-label={label} className="grid grid-cols-1 gap-4 outline-none">
      {children}
    </section>
  )
}
