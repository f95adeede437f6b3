import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { Modal, type ModalProps } from './modal.tsx'
import { useEntries } from './use-entries.ts'

const DismissContext = createContext<() => void>(() => {})
const UnsavedContext = createContext({ current: false })

/** A dialog in the middle; on a phone at the lower edge, where thumbs are. It asks before what was entered is lost. */
export function Dialog({ className, onOpenChange, children, ...props }: ModalProps) {
  const [isAsking, setAsking] = useState(false)
  const { areChanged, ...listeners } = useEntries()
  const unsaved = useRef(false)
  if (isAsking && !props.open) setAsking(false)
  const dismiss = () => (areChanged() || unsaved.current ? setAsking(true) : onOpenChange(false))
  return (
    <DismissContext value={dismiss}>
      <Modal {...props} onOpenChange={dismiss} className={cn(MIDDLE, className)}>
        <UnsavedContext value={unsaved}>
          <div {...listeners}>{children}</div>
        </UnsavedContext>
      </Modal>
      <Modal
        open={isAsking && props.open}
        onOpenChange={setAsking}
        title="Discard what you entered?"
        className={MIDDLE}
      >
        <p className="text-muted">It has not been saved.</p>
        <DialogActions>
          <Button onClick={() => setAsking(false)}>Keep editing</Button>
          <Button variant="danger" onClick={() => onOpenChange(false)}>
            Discard
          </Button>
        </DialogActions>
      </Modal>
    </DismissContext>
  )
}

/** Has the dialog ask also for what no field holds, such as rows that were removed. */
export function useUnsaved(isUnsaved: boolean): void {
  const unsaved = useContext(UnsavedContext)
  useEffect(() => {
    unsaved.current = isUnsaved
    return () => {
      unsaved.current = false
    }
  }, [unsaved, isUnsaved])
}

const MIDDLE =
  'm-auto max-h-[calc(100dvh-2rem)] w-[min(34rem,calc(100vw-2rem))] max-w-none animate-appear overflow-y-auto rounded-2xl border shadow-2xl max-sm:mb-4'

/** The row of buttons at a dialog's end. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}

interface SubmitActionsProps {
  /** What the form does: "Rename". */
  action: string
  pending: boolean
}

/** The row at the end of a form in a dialog. */
export const SubmitActions = ({ action, pending }: SubmitActionsProps) => (
  <DialogActions>
    <CancelButton />
    <Button type="submit" variant="primary" pending={pending}>
      {action}
    </Button>
  </DialogActions>
)

/** Closes the dialog that it is in, as Escape does. */
export const CancelButton = () => <Button onClick={useContext(DismissContext)}>Cancel</Button>
