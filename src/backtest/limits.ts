/* Limits of the back-test. None can be configured. */

/** Bytes of a row of CSV, a line of NDJSON or an item of a JSON array. A quote that is not closed would take the rest of the log. */
export const MAX_ROW_BYTES = 16 * 1024 * 1024
/** Bytes at the start of the log from which its format, separator and line ends are detected. */
export const HEAD_BYTES = 64 * 1024
/** Rows that show whether a space follows each separator. */
export const SAMPLED_ROWS = 20
/** A log that spans more days gets a note: a time in it is probably wrong. */
export const MAX_SPAN_DAYS = 20 * 365

/* What is held in memory, for a log with free text or wrong columns. Beyond it, examples and hints are missing, no counts of cases. */

/** Event types, and values of lifecycle:transition, that are counted by name. */
export const MAX_COUNTED_TYPES = 10_000
/** Names of fields for the note about a missing one. */
export const MAX_FIELD_NAMES = 1_000
/** Case ids with white space around them, as examples. */
export const MAX_PADDED_IDS = 1_000
/** Texts of a compared field whose similarity is cached. */
export const MAX_CACHED_TEXTS = 1_000
/** Quarters of an hour whose offset from UTC is cached: 100,000 are nearly three years. */
export const MAX_CACHED_QUARTERS = 100_000

/* What a result shows. Everything is counted. */

/** Bad rows with their lines. */
export const MAX_BAD_ROWS_SHOWN = 20
/** Characters of the detail of a bad row. */
export const MAX_DETAIL_LENGTH = 200
/** Examples in a note. */
export const MAX_EXAMPLES = 3
/** Characters of a text, a value or a column name of the log. */
export const MAX_TEXT_LENGTH = 60
/** Values of lifecycle:transition of XES. */
export const MAX_TRANSITIONS_SHOWN = 5
/** Names of columns or fields in an error. */
export const MAX_NAMES_SHOWN = 40
/** FAILED cases that were nearest to CONFIRMED. */
export const MAX_NEAREST_LOSERS = 10
/** Cases that differ between two contracts, in the result for machines. */
export const MAX_CHANGED_CASES = 100
/** The same in the table of the terminal. */
export const MAX_CHANGED_CASES_IN_TABLE = 20
/** Event types that no condition names, in the table of the terminal and on the page. */
export const MAX_TYPES_IN_TABLE = 20
export const MAX_TYPES_ON_PAGE = 30
/** Bars of the chart of the cases by period. A phone shows 60 bars apart. */
export const MAX_BARS = 60
