import type { NotificationType } from '../../../src/core/notification-types.ts'

export const NOTIFICATION_WORDS: Readonly<Record<NotificationType, string>> = {
  'claim.created': 'Claim created',
  'claim.pending': 'Claim became pending',
  'claim.confirmed': 'Claim confirmed',
  'claim.failed': 'Claim failed',
  'claim.outcome_changed': 'Claim outcome reversed',
  'claim.due_soon': 'Claim due soon',
  'candidate.created': 'Candidate created',
  'candidate.pending': 'Candidate became pending',
  'candidate.confirmed': 'Candidate confirmed',
  'candidate.failed': 'Candidate failed',
  'candidate.outcome_changed': 'Candidate outcome reversed',
  'candidate.due_soon': 'Candidate due soon',
  'test_clock.advanced': 'Test clock advanced',
  'webhook_endpoint.disabled': 'Webhook endpoint disabled',
  'claim.event_recorded': 'Claim event recorded',
  'candidate.event_recorded': 'Candidate event recorded',
}

/** The types of an endpoint that names no types. */
export const DEFAULT_TYPES_TEXT = 'All types except recorded events'

/** Types that only endpoints receive. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  'webhook_endpoint.test': 'Test',
  'webhook_endpoint.notifications_removed': 'Notifications were removed',
}

/** The text of a type. An unknown type is shown by its name. */
export const typeInWords = (type: string): string =>
  NOTIFICATION_WORDS[type as NotificationType] ?? OTHER_WORDS[type] ?? type
