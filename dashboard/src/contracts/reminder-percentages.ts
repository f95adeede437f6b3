import { compareDecimals, decimalText, times, toDecimal } from '../../../src/kernel/decimal.ts'
import { LOCAL_NUMBERS } from '../format/local-number.ts'

/* Reminders (§2.16) are fractions of the activity window in the API, and percentages on the page. Both are exact: 0.07 is 7 %. */

/** Without the percent sign. */
export const percentageOf = (fraction: number, numbers = LOCAL_NUMBERS): string =>
  numbers.writeDecimal(decimalText(times(toDecimal(fraction), 100)))

export const percentagesOf = (fractions: readonly number[] = []): string[] =>
  fractions.map((fraction) => percentageOf(fraction))

/** Such as "50 %, 90 %". A no-break space keeps the sign at its number. */
export const inPercent = (fractions: readonly number[]): string =>
  fractions.map((fraction) => `${percentageOf(fraction)}\u00a0%`).join(', ')

type PercentageReading = { fraction: number; problem?: never } | { problem: string; fraction?: never }

/** Reads a percentage, with or without its sign. */
export function readPercentage(text: string, numbers = LOCAL_NUMBERS): PercentageReading {
  const { decimal, problem } = numbers.readDecimal(text.replace(/[%٪]\s*$/, ''))
  if (problem !== undefined) return { problem }
  const rounded = Number(decimal)
  if (rounded <= 0 || rounded >= 100) return { problem: 'must be above 0 and below 100' }
  const { units, scale } = toDecimal(decimal)
  const exact = { units, scale: scale + 2 }
  const fraction = Number(decimalText(exact))
  if (compareDecimals(toDecimal(fraction), exact) !== 0)
    return { problem: 'has more digits than can be stored' }
  return { fraction }
}

/** The result of reading the typed percentages. Blank ones are left out. */
export interface RemindersReading {
  /** In ascending order. Null if there is a problem. */
  reminders: number[] | null
  /** For each typed percentage, at its index. */
  problems: (string | undefined)[]
}

export function readReminders(texts: readonly string[]): RemindersReading {
  const found: number[] = []
  const problems = texts.map((text) => {
    if (text.trim() === '') return undefined
    const { fraction, problem } = readPercentage(text)
    if (problem !== undefined) return problem
    if (found.includes(fraction)) return 'is already there: each percentage must be different'
    found.push(fraction)
    return undefined
  })
  return { reminders: problems.some(Boolean) ? null : found.sort((a, b) => a - b), problems }
}
