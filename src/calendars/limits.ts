/** Calendars or versions that a list reads at a time: up to half a megabyte. */
export const PAGE_SIZE = 8
/** Dates of a preview: a leap year. */
export const MAX_PREVIEW_DAYS = 366
/** Dates of a preview without `days`: four weeks. */
export const PREVIEW_DAYS = 28
/** Calendar versions whose working time a server keeps in memory: at most 200 KB each, half of it for the time zone. */
export const MAX_CACHED_VERSIONS = 200
