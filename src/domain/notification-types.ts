/** What notifications tell of (§4.13); the same of claims and of candidates. */
const CLAIM_CHANGES = ['created', 'pending', 'confirmed', 'failed'] as const

export const NOTIFICATION_TYPES = [
  ...CLAIM_CHANGES.map((change) => `claim.${change}` as const),
  ...CLAIM_CHANGES.map((change) => `candidate.${change}` as const),
  'test_clock.advanced',
  'webhook_endpoint.disabled',
] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]
