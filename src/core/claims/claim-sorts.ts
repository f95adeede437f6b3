/** What a list of claims may be put in order by: the creation, the end of the current window, or the time in the status. */
export const CLAIM_SORTS = ['created_at', 'due_at', 'status_since'] as const
export type ClaimSort = (typeof CLAIM_SORTS)[number]
