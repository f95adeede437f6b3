import { X } from 'lucide-react'
import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'

export interface ModalProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  /** Mounted while open, so a form in it begins anew each time. */
  children: ReactNode
  /** Closes neither on Escape nor by a click beside it: what is in it says when. */
  isHeld?: boolean
  className?: string
}

/**
 * The browser's own modal dialog: it keeps the focus, makes the page behind inert and closes on Escape, and needs
 * no styles injected into the page, which the policy would refuse.
 */
export function Modal({
  open,
  onOpenChange,
  title,
  description,
  children,
  isHeld = false,
  className,
}: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (open && dialog && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [open])
  if (!open) return null

  const dismiss = () => {
    if (!isHeld) onOpenChange(false)
  }
  const closeOnBackdrop = (event: MouseEvent) => {
    if (event.target === ref.current) dismiss()
  }
  return (
    <dialog
      ref={ref}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      onMouseDown={closeOnBackdrop}
      closedby={isHeld ? 'none' : 'closerequest'}
      onCancel={(event) => {
        event.preventDefault()
        dismiss()
      }}
      className={cn('bg-surface text-ink', className)}
    >
      <div className="flex items-start justify-between gap-4 px-5 pt-5">
        <div className="grid min-w-0 gap-1">
          <h2 id={`${id}-title`} className="text-base font-semibold">
            {title}
          </h2>
          {description ? (
            <p id={`${id}-description`} className="text-muted">
              {description}
            </p>
          ) : null}
        </div>
        {isHeld ? null : (
          <Button
            variant="ghost"
            size="icon"
            className="-mt-1.5 -mr-2"
            aria-label="Close"
            onClick={() => onOpenChange(false)}
          >
            <X aria-hidden />
          </Button>
        )}
      </div>
      <div className="p-5">{children}</div>
    </dialog>
  )
}
