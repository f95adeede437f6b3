import { useSyncExternalStore } from 'react'
import { serverNow } from '../api/server-time.ts'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | null = null

/** One timer for all clocks on the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || !timer) return
    clearInterval(timer)
    timer = null
  }
}

/** The current time of the service's clock in milliseconds, updated each second. */
export const useNow = (): number =>
  useSyncExternalStore(subscribe, () => Math.floor(serverNow() / 1000) * 1000)
