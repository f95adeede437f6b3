import type { RateGrant } from '../../platform/http/limits/rate-counts.ts'
import type { Take } from '../../platform/http/limits/remote-rate-counts.ts'
import type { Measured } from '../../platform/observability/metrics.ts'

/** What a worker hears from the process that started it. */
export type ToWorker =
  /** Answers 'hello'. The address has the database's password, and stands in no environment for that. */
  | { kind: 'serve'; connectionString: string; port: number }
  /** It does the jobs of the service from now on. */
  | { kind: 'schedule' }
  | { kind: 'stop' }
  /** Answers 'take', in its order. */
  | { kind: 'granted'; question: number; grants: RateGrant[] }
  /** It is to say what it has measured. */
  | { kind: 'measure'; question: number }
  /** Answers 'read metrics'; null if they could not be read. */
  | { kind: 'metrics'; text: string | null }

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
  /** Answers 'measure'. */
  | { kind: 'measured'; question: number; measured: Measured }
  /** It asks for what all workers have measured. */
  | { kind: 'read metrics' }
