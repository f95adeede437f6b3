import { useSyncExternalStore } from 'react'

export const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const
type Theme = (typeof THEMES)[number]['value']

/** public/theme.js listens to it, and sets the theme before this code is loaded. */
const CHANGED = 'claimkeeper:theme'

function read(): Theme {
  const stored = localStorage.getItem('theme')
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function subscribe(listener: () => void): () => void {
  addEventListener(CHANGED, listener)
  return () => removeEventListener(CHANGED, listener)
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem('theme')
  else localStorage.setItem('theme', theme)
  dispatchEvent(new Event(CHANGED))
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, read)
