import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'

interface LeaveGuardProps {
  isNeeded: boolean
  /** Stops the running task. A next page of the same route does not unmount this one. */
  onLeave?: () => void
  title: string
  /** What is lost. */
  children: ReactNode
}

/** Asks before the user leaves the page. The browser asks if the tab is closed. */
export function LeaveGuard({ isNeeded, onLeave, title, children }: LeaveGuardProps) {
  const shouldBlockFn = useCallback(() => isNeeded, [isNeeded])
  const blocker = useBlocker({ shouldBlockFn, enableBeforeUnload: isNeeded, withResolver: true })
  const { reset } = blocker
  // Nothing can be lost any more, so the question is closed.
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
