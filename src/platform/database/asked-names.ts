import { plainArray, textArray } from './sql-array.ts'

/** What is asked for of an account, by names of one kind: ids, or those that the caller has given. */
export interface AskedNames {
  userId: string
  names: readonly string[]
}

/**
 * SQL for the columns of `askedColumns`. By the subselects the planner does not see how many names there are: where it may plan
 * for values, on distributed tables, it would do so each time (decision 0036).
 */
export const askedRows = (type: 'uuid' | 'text'): string =>
  `unnest((SELECT $1::integer[]), (SELECT $2::uuid[]), (SELECT $3::${type}[]))`

/** Which of those who ask, of which account, for which name. */
export const askedColumns = (asked: readonly AskedNames[]) => [
  plainArray(asked.flatMap(({ names }, asking) => names.map(() => asking))),
  plainArray(asked.flatMap(({ userId, names }) => names.map(() => userId))),
  textArray(asked.flatMap(({ names }) => names)),
]
