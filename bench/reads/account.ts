import { idPrefix } from '../load/submissions.ts'

// The distribution of the claims and candidates of the account that is read, in SQL and in TypeScript. Accounts of both sizes
// have the same distribution. Where both must return pages of the same length, both have the same number of records.

/** One of ten claims has the first, one of a thousand has the second. */
export const METADATA = { many: { region: 'emea' }, few: { order: 'A-7' } }

/** The large customer has every tenth claim, the small customer has three. The others are spread evenly. */
export const AVERAGE_CUSTOMERS = 1_000
export const CUSTOMER = { large: 1, small: 2, firstAverage: 3 }
const CUSTOMER_SET = 0xcccccccc

export const customerId = (number: number): string =>
  idPrefix(CUSTOMER_SET) + number.toString(16).padStart(12, '0')

export const customerExternalId = (number: number): string => `customer-${number}`

export const alias = (candidate: number): string => `candidate-${candidate}`

/** SQL: a uniform hash of n from 0 to below `of`. Another `salt` gives another hash. */
const spread = (of: number, salt = 0) => `((hashint4(n + ${salt}) & 2147483647) % ${of})`

/** Numbers of rare records, spread over the middle of `count`. */
const few = (count: number, amount: number, offset: number) =>
  Array.from({ length: amount }, (_, i) => Math.floor((count * (i + 1)) / (amount + 0.5)) + offset).join(', ')

/** SQL: the number of the customer of record n of `count`. */
export const customerOf = (count: number): string =>
  `CASE WHEN n IN (${few(count, 3, -7)}) THEN ${CUSTOMER.small} WHEN n % 10 = 0 THEN ${CUSTOMER.large}
    ELSE ${CUSTOMER.firstAverage} + ${spread(AVERAGE_CUSTOMERS)} END`

/**
 * SQL: the status of claim n. The large customer has almost no PENDING claims. To find them by customer or by status alone
 * takes long.
 */
export const claimStatus = (count: number): string =>
  `CASE WHEN n % 10 = 0 AND n IN (${fewOfLarge(count)}) THEN 'PENDING'
    WHEN ${spread(1000, 77)} < 100 THEN 'OPEN'
    WHEN ${spread(1000, 77)} < 200 AND n % 10 > 0 THEN 'PENDING'
    WHEN ${spread(1000, 77)} < 800 THEN 'CONFIRMED'
    ELSE 'FAILED' END`

const fewOfLarge = (count: number) =>
  [0.2, 0.5, 0.8].map((part) => Math.floor((count * part) / 10) * 10).join(', ')

/** SQL: the status of candidate n. Only the newest are OPEN, almost none are PENDING. */
export const candidateStatus = (count: number): string =>
  `CASE WHEN n > ${count - 100} THEN 'OPEN'
    WHEN n IN (${few(count, 5, -3)}) THEN 'PENDING'
    WHEN ${spread(100, 77)} < 5 THEN 'FAILED'
    ELSE 'CONFIRMED' END`
