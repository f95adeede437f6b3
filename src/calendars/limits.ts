/** Versions of a calendar, the current one included. None is deleted, because claims may use it; a change beyond them is refused. */
export const MAX_VERSIONS = 1_000
/** Calendars or versions that a list reads at a time: up to half a megabyte. */
export const PAGE_SIZE = 8
/** Dates of a preview: a leap year. */
export const MAX_PREVIEW_DAYS = 366
/** Dates of a preview without `days`: four weeks. */
export const PREVIEW_DAYS = 28
