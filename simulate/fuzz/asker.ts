import type { Random } from '../random.ts'
import type { Account } from './account.ts'
import type { ApiDocument } from './document.ts'
import type { Origin } from './valid-values.ts'

/** Who makes requests, and of what. */
export interface Asker {
  document: ApiDocument
  url: string
  random: Random
  account: Account
  /** Whose records must stay closed to the account; null if there is nobody else. */
  stranger: Account | null
  prefix: string
}

/** @param path of the operation, where what it creates is to get new names */
export function originOf({ document, random, account, stranger, prefix }: Asker, path: string): Origin {
  const isForeign = stranger !== null && random.chance(0.02)
  return { document, random, known: isForeign ? stranger.known : account.known, prefix, path }
}
