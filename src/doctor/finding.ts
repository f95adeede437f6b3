/** The result of one check. */
export interface Finding {
  /** The subject of the check. */
  what: string
  status: 'ok' | 'warning' | 'fault'
  found: string
  /** The action for the operator. Null for none. */
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
