/* Limits of the overview. */

/** Days of an overview: a leap year. */
export const MAX_OVERVIEW_DAYS = 366
/** Days of an overview without `days`. */
export const OVERVIEW_DAYS = 30
export const MAX_DUE_NEXT = 5
export const MAX_RECENT = 10

/** Resolutions this recent are not added to the totals yet: a late check would take them back. A PostgreSQL interval. */
export const TOTALS_DELAY = '5 minutes'
/** Resolutions of an account above which the median is computed from classes of durations, correct to 2 %. */
export const MAX_EXACT_MEDIAN_CLAIMS = 100_000

/** An overview that took longer is reused for the same request. Cheaper ones are read again. */
export const REUSE_ABOVE_MS = 250
/** It is reused this many times as long as it took, so that dashboards cost the database a tenth of its time at most. */
export const REUSE_FACTOR = 10
/** @public an overview is at most this old */
export const MAX_REUSE_MS = 10_000
