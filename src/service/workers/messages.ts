import type { RateGrant } from '../../http/bounds/rate-counts.ts'
import type { Take } from '../../http/bounds/remote-rate-counts.ts'

/** What a worker hears from the process that started it. */
export type ToWorker =
  /** Answers 'hello'. The address has the database's password, and stands in no environment for that. */
  | { kind: 'serve'; connectionString: string; port: number }
  /** It does the jobs of the service from now on. */
  | { kind: 'schedule' }
  | { kind: 'stop' }
  /** Answers 'take', in its order. */
  | { kind: 'granted'; question: number; grants: RateGrant[] }

/** What a worker says. */
export type FromWorker =
  | { kind: 'hello' }
  /** Each second: its event loop turns. */
  | { kind: 'alive' }
  | { kind: 'ready'; url: string }
  /** It finishes its requests in flight, and ends. */
  | { kind: 'leaving' }
  /** It cannot start, for a reason that its operator can mend. */
  | { kind: 'failed'; reason: string; portIsTaken: boolean }
  /** Requests and items of accounts that want to be counted. */
  | { kind: 'take'; question: number; takes: Take[] }
