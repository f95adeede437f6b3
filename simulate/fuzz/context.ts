import type { Random } from '../random.ts'
import type { Account } from './account.ts'
import type { ApiDocument } from './api-document.ts'
import type { HttpClient } from './http-client.ts'
import type { ResponseStats } from './response-stats.ts'

/** What a client uses. */
export interface FuzzContext {
  document: ApiDocument
  http: HttpClient
  stats: ResponseStats
  random: Random
  account: Account
  /** Its records must be inaccessible to the account. Null for none. */
  otherAccount: Account | null
  /** Makes the names of this client unique. */
  prefix: string
  onFinding: (finding: unknown) => void
}
