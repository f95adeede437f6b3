import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { Modal, type ModalProps } from './modal.tsx'
import { useEntries } from './use-field-changes.ts'

const DismissContext = createContext<() => void>(() => {})
const UnsavedContext = createContext({ current: false })
const SendingContext = createContext<(isSending: boolean) => void>(() => {})
const AskedContext = createContext(false)

/** A centred dialog, on a phone at the lower edge. It asks before closing if input would be lost or a request is in flight.
 */
export function Dialog({ className, onOpenChange, children, ...props }: ModalProps) {
  const [asked, setAsked] = useState<keyof typeof QUESTIONS | null>(null)
  const [isSending, setSending] = useState(false)
  const { areChanged, ...listeners } = useEntries()
  const unsaved = useRef(false)
  // After the response, the dialog itself shows the result.
  if (asked !== null && (!props.open || (asked === 'sent' && !isSending))) setAsked(null)
  if (asked === 'unsaved' && isSending) setAsked('sent')
  const dismiss = () => {
    if (isSending) setAsked('sent')
    else if (areChanged() || unsaved.current) setAsked('unsaved')
    else onOpenChange(false)
  }
  const { title, text, stay, close } = QUESTIONS[asked ?? 'unsaved']
  return (
    <DismissContext value={dismiss}>
      <Modal {...props} onOpenChange={dismiss} className={cn(MIDDLE, className)}>
        <UnsavedContext value={unsaved}>
          <SendingContext value={setSending}>
            <AskedContext value={asked !== null}>
              <div {...listeners}>{children}</div>
            </AskedContext>
          </SendingContext>
        </UnsavedContext>
      </Modal>
      <Modal
        open={asked !== null && props.open}
        onOpenChange={() => setAsked(null)}
        title={title}
        className={MIDDLE}
      >
        <p className="text-muted">{text}</p>
        <DialogActions>
          <Button onClick={() => setAsked(null)}>{stay}</Button>
          <Button variant="danger" onClick={() => onOpenChange(false)}>
            {close}
          </Button>
        </DialogActions>
      </Modal>
    </DismissContext>
  )
}

const QUESTIONS = {
  unsaved: {
    title: 'Discard your changes?',
    text: 'They have not been saved.',
    stay: 'Keep editing',
    close: 'Discard',
  },
  sent: {
    title: 'Close before the service answers?',
    text: 'The request was sent and cannot be recalled. If you close now, you may not see the result.',
    stay: 'Wait',
    close: 'Close now',
  },
}

/** Makes the dialog ask before closing for changes outside of fields, such as removed rows. */
export function useUnsaved(isUnsaved: boolean): void {
  const unsaved = useContext(UnsavedContext)
  useEffect(() => {
    unsaved.current = isUnsaved
    return () => {
      unsaved.current = false
    }
  }, [unsaved, isUnsaved])
}

/** Whether the dialog asks whether to close. A waiting submit must not be sent meanwhile. */
export const useIsAsked = (): boolean => useContext(AskedContext)

/** Tells the dialog that its request is in flight. */
function useSending(isSending: boolean): void {
  const setSending = useContext(SendingContext)
  useLayoutEffect(() => {
    if (!isSending) return
    setSending(true)
    return () => setSending(false)
  }, [setSending, isSending])
}

const MIDDLE =
  'm-auto max-h-[calc(100dvh-2rem)] w-[min(34rem,calc(100vw-2rem))] max-w-none animate-appear overflow-y-auto rounded-2xl border shadow-2xl max-sm:mb-4'

interface DialogActionsProps {
  /** A request is in flight: the dialog asks before closing. */
  isPending?: boolean
  children: ReactNode
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ isPending = false, children }: DialogActionsProps) {
  useSending(isPending)
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}

interface SubmitActionsProps {
  /** The text of the submit button, such as "Rename". */
  action: string
  pending: boolean
  /** The submit waits for data. */
  isWaiting?: boolean
}

/** The row at the end of a form in a dialog. */
export const SubmitActions = ({ action, pending, isWaiting = false }: SubmitActionsProps) => (
  <DialogActions isPending={pending}>
    <CancelButton />
    <Button type="submit" variant="primary" pending={pending || isWaiting}>
      {action}
    </Button>
  </DialogActions>
)

/** Closes the surrounding dialog as Escape does. */
export const CancelButton = () => <Button onClick={useContext(DismissContext)}>Cancel</Button>
