import { plainArray, textArray } from './sql-array.ts'

/** What is asked for of an account, by names of one kind: ids, or those that the caller has given. */
export interface AskedNames {
  userId: string
  names: readonly string[]
}

/** For `unnest`: which of those who ask, of which account, for which name. */
export const askedColumns = (asked: readonly AskedNames[]) => [
  plainArray(asked.flatMap(({ names }, asking) => names.map(() => asking))),
  plainArray(asked.flatMap(({ userId, names }) => names.map(() => userId))),
  textArray(asked.flatMap(({ names }) => names)),
]
