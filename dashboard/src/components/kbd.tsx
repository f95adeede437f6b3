import type { ReactNode } from 'react'

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-grid h-5.5 min-w-5.5 place-items-center rounded-md border border-b-2 bg-sunken px-1 font-mono text-xs">
      {children}
    </kbd>
  )
}
