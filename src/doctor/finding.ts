/** What a look at one thing has found. */
export interface Finding {
  /** What was looked at. */
  what: string
  status: 'ok' | 'warning' | 'fault'
  /** What was found. */
  found: string
  /** What to do about it; null if nothing. */
  advice: string | null
}

export const ok = (what: string, found: string): Finding => ({ what, status: 'ok', found, advice: null })

export const warning = (what: string, found: string, advice: string): Finding => ({
  what,
  status: 'warning',
  found,
  advice,
})

export const fault = (what: string, found: string, advice: string): Finding => ({
  what,
  status: 'fault',
  found,
  advice,
})
