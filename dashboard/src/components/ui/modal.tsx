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
  const body = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (!open || !dialog) return
    const origin = document.activeElement
    if (!dialog.open) dialog.showModal()
    focusFirst(body.current)
    return () => {
      dialog.close()
      focusAgain(origin)
    }
  }, [open])
  if (!open) return null

  const dismiss = () => {
    if (!isHeld) onOpenChange(false)
  }
  const closeOnBackdrop = (event: MouseEvent) => {
    if (event.target !== ref.current || !isBeside(event, ref.current)) return
    // Else the click takes the focus to nowhere, from what is then shown.
    event.preventDefault()
    dismiss()
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
      // Browsers let a page refuse Escape once; at the second they close it all the same.
      onClose={({ currentTarget: dialog }) => {
        if (dialog !== ref.current || dialog.open) return
        dialog.showModal()
        focusFirst(body.current)
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
      <div ref={body} className="p-5">
        {children}
      </div>
    </dialog>
  )
}

/** The first field, or the first button if there is no field. Else the browser's choice stays. */
function focusFirst(body: HTMLElement | null): void {
  for (const kind of ['input, select, textarea', 'button, a[href]']) {
    const controls = [...(body?.querySelectorAll<HTMLElement>(kind) ?? [])]
    const first = controls.find((control) => !control.matches(':disabled') && control.checkVisibility())
    if (!first) continue
    first.focus()
    return
  }
}

/** To where the focus came from, or to the page if that is gone. Not if the focus is somewhere else by now. */
function focusAgain(origin: Element | null): void {
  if (document.activeElement !== document.body || origin === document.body) return
  if (origin instanceof HTMLElement) origin.focus()
  if (document.activeElement === document.body)
    document.getElementById('main')?.focus({ preventScroll: true })
}

/** A click on the scroll bar of a dialog is on the dialog too. */
function isBeside({ clientX, clientY }: MouseEvent, dialog: HTMLElement): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect()
  return clientX < left || clientX > right || clientY < top || clientY > bottom
}
