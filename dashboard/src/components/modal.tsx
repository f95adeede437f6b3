import { X } from 'lucide-react'
import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'

export interface ModalProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  /** Mounted while open, so that a form starts empty each time. */
  children: ReactNode
  /** Ignores Escape and clicks outside. The content decides when to close. */
  isHeld?: boolean
  className?: string
}

/** The native modal dialog. It traps the focus, makes the page inert and closes on Escape. It injects no styles, which the
 * content security policy would block.
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
    // Otherwise the click would remove the focus from the next dialog.
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
      // Browsers close the dialog at a second Escape even if the first was prevented.
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

/** Focuses the first field, or else the first button. */
function focusFirst(body: HTMLElement | null): void {
  for (const kind of ['input, select, textarea', 'button, a[href]']) {
    const controls = [...(body?.querySelectorAll<HTMLElement>(kind) ?? [])]
    const first = controls.find((control) => !control.matches(':disabled') && control.checkVisibility())
    if (!first) continue
    first.focus()
    return
  }
}

/** Returns the focus to its origin, or to the page if that is gone. Does nothing if the focus has moved. */
function focusAgain(origin: Element | null): void {
  if (document.activeElement !== document.body || origin === document.body) return
  if (origin instanceof HTMLElement) origin.focus()
  if (document.activeElement === document.body)
    document.getElementById('main')?.focus({ preventScroll: true })
}

/** A click on the dialog's scroll bar also has the dialog as its target. */
function isBeside({ clientX, clientY }: MouseEvent, dialog: HTMLElement): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect()
  return clientX < left || clientX > right || clientY < top || clientY > bottom
}
