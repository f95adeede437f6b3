import { useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import { accountQuery } from './api/account.ts'

/*
 * What this browser keeps for an account, and no other one sees. Whatever is stored may come from anyone: who reads it
 * takes of it what fits.
 */

/** Heard in this tab; other tabs hear of it by `storage`. */
const CHANGED = 'claimkeeper:kept'

function subscribe(listener: () => void): () => void {
  addEventListener(CHANGED, listener)
  addEventListener('storage', listener)
  return () => {
    removeEventListener(CHANGED, listener)
    removeEventListener('storage', listener)
  }
}

/** Null if there is nothing, or the browser gives the page no storage. */
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

export interface Kept<T> {
  value: T
  /** By what is stored now, which another tab may have changed. @returns whether it is kept: storage may be full, or closed */
  change: (update: (value: T) => T) => boolean
}

/** @param read makes a value of what is stored, whatever that is; the same function each time */
export function useKept<T>(name: string, read: (stored: unknown) => T): Kept<T> {
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

/** Said if it is not. */
export const NOT_KEPT = 'This browser did not keep it: its storage is full, or closed to this page.'
