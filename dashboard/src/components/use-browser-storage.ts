import { useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import { accountQuery } from '../api/account.ts'

/* Values in the browser's storage, per account. Stored values may come from any version, so readers validate them.
 */

/** Sent in this tab. Other tabs get the `storage` event. */
const CHANGED = 'claimkeeper:kept'

function subscribe(listener: () => void): () => void {
  addEventListener(CHANGED, listener)
  addEventListener('storage', listener)
  return () => {
    removeEventListener(CHANGED, listener)
    removeEventListener('storage', listener)
  }
}

/** Null if nothing is stored or storage is blocked. */
function load(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

export interface BrowserStorage<T> {
  value: T
  /** Updates the stored value, which another tab may have changed. @returns false if storage is full or blocked */
  change: (update: (value: T) => T) => boolean
}

/** @param read makes a value of anything that is stored; must be a stable function */
export function useBrowserStorage<T>(name: string, read: (stored: unknown) => T): BrowserStorage<T> {
  const { data: account } = useSuspenseQuery(accountQuery)
  const key = `kept ${account.id} ${name}`
  const text = useSyncExternalStore(subscribe, () => load(key))
  const value = useMemo(() => read(parse(text)), [text, read])
  const change = (update: (value: T) => T): boolean => {
    try {
      localStorage.setItem(key, JSON.stringify(update(read(parse(load(key))))))
      return true
    } catch {
      return false
    } finally {
      dispatchEvent(new Event(CHANGED))
    }
  }
  return { value, change }
}

export const STORED_IN_BROWSER = 'Saved in this browser for your account.'
export const NOT_STORED = 'Not saved: the browser’s storage is full or blocked for this page.'
