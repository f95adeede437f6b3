/** Changes with a notification (§4.13). Claims and candidates have the same. */
const CLAIM_CHANGES = ['created', 'pending', 'confirmed', 'failed', 'outcome_changed', 'due_soon'] as const

/** Each recorded event has such a notification, so a reader or endpoint must name these types (§4.13 rule 5). */
export const EVENT_TYPES = ['claim.event_recorded', 'candidate.event_recorded'] as const

export const NOTIFICATION_TYPES = [
  ...CLAIM_CHANGES.map((change) => `claim.${change}` as const),
  ...CLAIM_CHANGES.map((change) => `candidate.${change}` as const),
  'test_clock.advanced',
  'webhook_endpoint.disabled',
  ...EVENT_TYPES,
] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

const OPT_IN_TYPES: ReadonlySet<NotificationType> = new Set(EVENT_TYPES)

/** Whether a reader or endpoint that names no types gets notifications of this type. */
export const isNotifiedByDefault = (type: NotificationType): boolean => !OPT_IN_TYPES.has(type)
