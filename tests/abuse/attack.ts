import type { Stage } from './stage.ts'

/** The attacker's own account; the one that must not feel it has another. */
export interface Account {
  userId: string
  token: string
  customerId: string
}

/** What an attacker knows. */
export interface Target {
  url: string
  account: Account
  /** What `prepare` returned. */
  prepared: Record<string, string>
}

export interface Attack {
  name: string
  /** A short phrase for the table of attacks. */
  description: string
  /** Adds the records that the attack needs. Not measured. */
  prepare?: (stage: Stage) => Promise<Record<string, string>>
  /** Attacks until the signal aborts, or ends earlier. Its connections may stay open: its process ends after it. */
  run: (target: Target, signal: AbortSignal) => Promise<void>
  /** Its process goes on after the attack, does nothing more, and closes no connection: the server must. */
  stays?: true
  /** In the benchmark, where it needs longer than the others to show. */
  seconds?: number
  /** It begins just before a whole minute, and so needs the scheduled check: too long for the suite. */
  duringCheck?: true
}
