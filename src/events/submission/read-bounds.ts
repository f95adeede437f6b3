/** Bytes of contracts and of a quarter of logs that a group reads. */
export const READ_BYTES = 512 * 1024

/**
 * Of these, what it reads of contracts that are long and unknown: parsed and made ready, they take a tenth of a second of a
 * slow machine. A group of heavy claims takes no more of anything, so that all of it can be decided: what is put off comes
 * in its turn again, and who has the longest would wait for ever.
 */
export const PARSED_BYTES = 128 * 1024
