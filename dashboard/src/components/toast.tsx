import { X } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'

interface Message {
  id: number
  text: string
}

const ToastContext = createContext<(text: string) => void>(() => {})

/** Shows a short message: `const toast = useToast(); toast('Token revoked')`. */
export const useToast = () => useContext(ToastContext)

export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<Message[]>([])
  const show = useCallback((text: string) => {
    setMessages((shown) => [...shown.slice(-2), { id: (shown.at(-1)?.id ?? 0) + 1, text }])
  }, [])
  const drop = useCallback((id: number) => {
    setMessages((shown) => shown.filter((message) => message.id !== id))
  }, [])
  return (
    <ToastContext value={show}>
      {children}
      <div
        role="status"
        className="fixed right-4 bottom-4 z-50 grid max-w-[calc(100vw-2rem)] justify-items-end gap-2"
      >
        {messages.map((message) => (
          <Toast key={message.id} message={message} onEnd={drop} />
        ))}
      </div>
    </ToastContext>
  )
}

const SHOWN_MS = 5000

function Toast({ message: { id, text }, onEnd }: { message: Message; onEnd: (id: number) => void }) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => onEnd(id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, isHeld, onEnd])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hover and focus only keep the message visible
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="flex animate-appear items-center gap-3 rounded-xl bg-ink py-2 pr-2 pl-4 text-canvas shadow-lg"
    >
      <span className="min-w-0 break-words">{text}</span>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => onEnd(id)}
        className="rounded-md p-1.5 opacity-80 hover:opacity-100"
      >
        <X aria-hidden className="size-4" />
      </button>
    </div>
  )
}
