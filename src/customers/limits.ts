/** Customers found by one filter that are sorted. With more, a page scans the list in its order. */
export const MAX_SORTED_CUSTOMERS = 10_000
/** Customers that a list page scans at most: about 10 ms. */
export const MAX_SCANNED_CUSTOMERS = 10_000
/** Letters of a search whose variants make index ranges: 8 ranges if each letter has two variants. */
export const MAX_LETTERS_IN_RANGES = 3
