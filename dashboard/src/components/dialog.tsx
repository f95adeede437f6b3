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
import { useFieldChanges } from './use-field-changes.ts'

const DismissContext = createContext<() => void>(() => {})
const UnsavedContext = createContext({ current: false })
const SendingContext = createContext<(isSending: boolean) => void>(() => {})
const AskingToCloseContext = createContext(false)

/** A centred dialog, on a phone at the lower edge. It asks before closing if input would be lost or a request is in flight.
 */
export function Dialog({ className, onOpenChange, children, ...props }: ModalProps) {
  const [question, setQuestion] = useState<keyof typeof QUESTIONS | null>(null)
  const [isSending, setSending] = useState(false)
  const { areChanged, ...listeners } = useFieldChanges()
  const unsaved = useRef(false)
  // After the response, the dialog itself shows the result.
  if (question !== null && (!props.open || (question === 'sent' && !isSending))) setQuestion(null)
  if (question === 'unsaved' && isSending) setQuestion('sent')
  const dismiss = () => {
    if (isSending) setQuestion('sent')
    else if (areChanged() || unsaved.current) setQuestion('unsaved')
    else onOpenChange(false)
  }
  const { title, text, keepLabel, closeLabel } = QUESTIONS[question ?? 'unsaved']
  return (
    <DismissContext value={dismiss}>
      <Modal {...props} onOpenChange={dismiss} className={cn(CENTERED, className)}>
        <UnsavedContext value={unsaved}>
          <SendingContext value={setSending}>
            <AskingToCloseContext value={question !== null}>
              <div {...listeners}>{children}</div>
            </AskingToCloseContext>
          </SendingContext>
        </UnsavedContext>
      </Modal>
      <Modal
        open={question !== null && props.open}
        onOpenChange={() => setQuestion(null)}
        title={title}
        className={CENTERED}
      >
        <p className="text-muted">{text}</p>
        <DialogActions>
          <Button onClick={() => setQuestion(null)}>{keepLabel}</Button>
          <Button variant="danger" onClick={() => onOpenChange(false)}>
            {closeLabel}
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
    keepLabel: 'Keep editing',
    closeLabel: 'Discard',
  },
  sent: {
    title: 'Close before the service answers?',
    text: 'The request was sent and cannot be recalled. If you close now, you may not see the result.',
    keepLabel: 'Wait',
    closeLabel: 'Close now',
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

/** Whether the dialog asks whether to close. A submit that waits for data must not be sent meanwhile. */
export const useIsAskingToClose = (): boolean => useContext(AskingToCloseContext)

/** Tells the dialog that its request is in flight. */
function useSending(isSending: boolean): void {
  const setSending = useContext(SendingContext)
  useLayoutEffect(() => {
    if (!isSending) return
    setSending(true)
    return () => setSending(false)
  }, [setSending, isSending])
}

const CENTERED =
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
  /** The submit waits for data before it is sent. */
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
