/**
 * Older versions are deleted, so that no caller can fill the disk.
 * @public versions of a schema that are kept, the current one counted; a new one removes the oldest
 */
export const MAX_VERSIONS = 100
/** Schemas or versions that a list reads at a time: up to 512 KiB of contracts. */
export const PAGE_SIZE = 8
/** Bytes of contracts that a batch reads from schemas. Parsed, they take up to thirty times the memory. */
export const MAX_SCHEMA_CONTRACT_BYTES = 2 * 1024 * 1024
