/**
 * SQL for JSON as text if it has no more bytes than `most`; NULL if it is longer. What takes more as it is stored,
 * perhaps compressed, is longer for sure, and is not read to tell.
 */
export const ifShort = (column: string, most: number): string =>
  `CASE WHEN pg_column_size(${column}) <= ${most} AND octet_length(${column}::text) <= ${most} THEN ${column}::text END`
