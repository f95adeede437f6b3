import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect } from 'react'
import { ConfirmDialog } from './ui/confirm-dialog.tsx'

interface LeaveGuardProps {
  isNeeded: boolean
  /** Ends what is under way. If the next page is of the same route, nothing on this one is unmounted. */
  onLeave?: () => void
  title: string
  /** What is lost. */
  children: ReactNode
}

/** Asks before the page is left; if the tab is closed, in the browser's words. */
export function LeaveGuard({ isNeeded, onLeave, title, children }: LeaveGuardProps) {
  const shouldBlockFn = useCallback(() => isNeeded, [isNeeded])
  const blocker = useBlocker({ shouldBlockFn, enableBeforeUnload: isNeeded, withResolver: true })
  const { reset } = blocker
  // What would have been lost is done: the question is over.
  useEffect(() => {
    if (!isNeeded) reset?.()
  }, [isNeeded, reset])
  return (
    <ConfirmDialog
      open={blocker.status === 'blocked'}
      onOpenChange={() => blocker.reset?.()}
      title={title}
      action="Leave"
      onConfirm={() => {
        onLeave?.()
        blocker.proceed?.()
      }}
    >
      {children}
    </ConfirmDialog>
  )
}
