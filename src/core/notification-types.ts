/** What notifications tell of (§4.13); the same of claims and of candidates. */
const CLAIM_CHANGES = ['created', 'pending', 'confirmed', 'failed', 'outcome_changed'] as const

/** There is one for each event that is recorded, so only if somebody asks (§4.13 rule 5). */
export const EVENT_TYPES = ['claim.event_recorded', 'candidate.event_recorded'] as const

export const NOTIFICATION_TYPES = [
  ...CLAIM_CHANGES.map((change) => `claim.${change}` as const),
  ...CLAIM_CHANGES.map((change) => `candidate.${change}` as const),
  'test_clock.advanced',
  'webhook_endpoint.disabled',
  ...EVENT_TYPES,
] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

const NAMED_ALONE: ReadonlySet<NotificationType> = new Set(EVENT_TYPES)

/** Whether a reader or endpoint that names no types gets this type. */
export const isToldUnasked = (type: NotificationType): boolean => !NAMED_ALONE.has(type)
