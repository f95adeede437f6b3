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
import { useEntries } from './use-entries.ts'

const DismissContext = createContext<() => void>(() => {})
const UnsavedContext = createContext({ current: false })
const SendingContext = createContext<(isSending: boolean) => void>(() => {})
const AskedContext = createContext(false)

/**
 * A dialog in the middle; on a phone at the lower edge, where thumbs are. It asks before what was entered is lost, or what
 * comes of it is missed.
 */
export function Dialog({ className, onOpenChange, children, ...props }: ModalProps) {
  const [asked, setAsked] = useState<keyof typeof QUESTIONS | null>(null)
  const [isSending, setSending] = useState(false)
  const { areChanged, ...listeners } = useEntries()
  const unsaved = useRef(false)
  // Once it is answered, the dialog itself shows what came of it.
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
    title: 'Discard what you entered?',
    text: 'It has not been saved.',
    stay: 'Keep editing',
    close: 'Discard',
  },
  sent: {
    title: 'Close before it is answered?',
    text: 'It was sent, and is done unless it is refused. If you close this now, you may not learn which.',
    stay: 'Wait',
    close: 'Close now',
  },
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

/** Whether the dialog asks if it is to be closed: what waits to be sent goes on waiting. */
export const useIsAsked = (): boolean => useContext(AskedContext)

/** Tells the dialog that what it asks for is on its way. */
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
  /** What one of them asks for is on its way: the dialog asks before it is closed. */
  isPending?: boolean
  children: ReactNode
}

/** The row of buttons at a dialog's end. */
export function DialogActions({ isPending = false, children }: DialogActionsProps) {
  useSending(isPending)
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}

interface SubmitActionsProps {
  /** What the form does: "Rename". */
  action: string
  pending: boolean
  /** It will be, or can be, sent once something is known. */
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

/** Closes the dialog that it is in, as Escape does. */
export const CancelButton = () => <Button onClick={useContext(DismissContext)}>Cancel</Button>
