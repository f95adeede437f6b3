import type { Calendar, Span, Weekday } from '../../../src/core/calendars/calendar.ts'
import type { Outcome, Status } from '../../../src/core/claims/lifecycle.ts'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import type { ExplainedCondition } from '../../../src/core/contracts/explain.ts'
import type { NotificationType } from '../../../src/core/notification-types.ts'
import type { DeliveryStatus } from '../../../src/core/webhooks.ts'
import type { Json } from '../../../src/kernel/json.ts'
import type { Metadata } from '../../../src/kernel/metadata.ts'

/* Response bodies, with the names of the API. Times are ISO 8601, amounts exact decimals. */

export interface Page<T> {
  data: T[]
  next_cursor: string | null
}

/** Claims and candidates share pages: they differ only in how they are named. */
export type ClaimKind = 'claims' | 'candidates'

interface StateFields {
  contract: Contract
  status: Status
  status_since: string
  scheduled_outcome: Outcome | null
  /** Null in a terminal state, and while the clock is stopped. */
  due_at: string | null
  /** Only of an OPEN claim with a clock: null while it runs. */
  paused_since?: string | null
  /** Beside `paused_since`: seconds of the activity window. */
  remaining?: number | null
  /** Fractions of the activity window, ascending. Missing if there are none. */
  reminders?: number[]
  schema_id: string | null
  schema_version: number | null
  test_clock_id: string | null
  metadata: Metadata
  created_at: string
}

export interface ClaimSummary extends StateFields {
  id: string
  reference: string | null
  customer_id: string
}

export interface CandidateSummary extends StateFields {
  candidate_alias: string
  customer_uuid: string
}

export interface ClaimEvent {
  id: string
  type: string
  created_at: string
  system: boolean
  [field: string]: Json
}

export type WithEvents<T> = T & { events: ClaimEvent[] }

interface Because {
  event_id?: string
  window_elapsed?: 'activity_window' | 'review_window'
}

export interface StatusTransition {
  from: Status
  to: Status
  at: string
  because: Because
}

/** A hint about a contract, or about the events in `event_ids`. */
export interface HintBody {
  code: string
  path: string
  message: string
  event_ids?: string[]
}

export interface Explanation {
  status: Status
  scheduled_outcome: Outcome | null
  condition: ExplainedCondition
  transitions: StatusTransition[]
  /** Only in and after a review that can be lost or restarted. */
  review?: ExplainedReview
  /** Only of a claim whose contract has a clock. */
  clock?: ExplainedClock
  /** The first events that were recorded after the end of a window. */
  late_events?: LateEvent[]
  /** Older servers do not send hints. */
  hints?: HintBody[]
}

interface LateEvent {
  event_id: string
  /** Seconds. */
  late_by: number
}

/** When the activity window ran, and what counted (§2.1a). */
export interface ExplainedClock {
  /** The first periods. An event stopped the one and continued with the next. */
  periods: { resumed_by: string | null; paused_by: string | null }[]
  period_count: number
  time_zone: string | null
  time_zone_data: string | null
  /** Of the windows to which the calendar applies. */
  working_time: ExplainedWorkingTime[]
}

interface ExplainedWorkingTime {
  window: 'activity_window' | 'review_window'
  from: string
  to: string
  span_count: number
  /** The first dates. */
  holidays: string[]
  holiday_count: number
  exceptions: string[]
  exception_count: number
}

/** §2.1a */
export interface ExplainedReview {
  /** Over the events of the review. */
  reversal_condition?: ExplainedCondition
  /** The event that reversed the outcome. */
  reversed_by: { event_id: string; at: string } | null
  /** The first events that restarted the review. */
  restarts: { event_id: string; at: string; due_at: string }[]
  restart_count: number
  due_at: string
  /** The end that no restart can extend. */
  latest_due_at: string | null
}

export interface Customer {
  id: string
  external_id: string
  name: string | null
  metadata: Metadata
  created_at: string
}

export interface ClaimSchema {
  id: string
  version: number
  name: string | null
  description: string | null
  contract: Contract
  /** Fractions of the activity window, ascending. Missing if there are none. */
  reminders?: number[]
  created_at: string
  updated_at: string
}

export interface CalendarRecord extends Calendar {
  id: string
  version: number
  created_at: string
  updated_at: string
  deleted_at: string | null
}

export interface CalendarVersion extends Calendar {
  version: number
  created_at: string
  made_by: { kind: 'session' | 'token'; token_name: string | null } | null
}

/** The working time of a date. */
export interface PreviewedDate {
  date: string
  weekday: Weekday
  holiday: boolean
  exception: boolean
  /** Times of day on the local clock. */
  spans: Span[]
  seconds: number
}

export interface CalendarPreview {
  version: number
  time_zone: string
  time_zone_data: string
  holidays_until: string | null
  data: PreviewedDate[]
}

export interface SchemaVersion {
  version: number
  name: string | null
  description: string | null
  contract: Contract
  created_at: string
  made_by: { kind: 'session' | 'token'; token_name: string | null } | null
}

export interface TestClock {
  id: string
  name: string | null
  frozen_time: string
  next_due_at: string | null
  created_at: string
}

/** It holds one record, as it was at that time. A newer service may send other records. */
export interface Notification {
  id: string
  type: NotificationType
  created_at: string
  sequence: number
  /** The recorded event. */
  event?: { id: string; type: string; created_at: string }
  /** The fraction of the activity window that is used up, of a claim that is due soon. */
  reminder?: number
  claim?: ClaimSummary
  candidate?: CandidateSummary
  test_clock?: Omit<TestClock, 'next_due_at'>
  webhook_endpoint?: { id: string; url: string; description: string | null }
  /** Why the endpoint was disabled. */
  reason?: 'failing' | 'gone'
}

export interface Account {
  id: string
  email: string
  name: string | null
  currency: string | null
  time_zone: string
  created_at: string
}

export interface ApiToken {
  id: string
  name: string
  /** The session that created the token. The token ends with it. */
  session_id: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
}

export interface Invitation {
  id: string
  email: string | null
  created_at: string
  expires_at: string
  used_at: string | null
}

interface Sum {
  count: number
  amount: string
}

export interface Overview {
  as_of: string
  time_zone: string
  statuses: Record<Status, Sum>
  pending_outcomes: Record<Outcome, Sum>
  resolutions_by_day: { day: string; begins_at: string; confirmed: Sum; failed: Sum }[]
  resolution_seconds: { median: number | null; count: number }
  due_next: (ClaimSummary | CandidateSummary)[]
  overdue: { count: number; oldest_due_at: string | null }
  recent: (ClaimSummary | CandidateSummary)[]
}

export interface WebhookEndpoint {
  id: string
  url: string
  /** Null for all. */
  types: NotificationType[] | null
  customer_id: string | null
  description: string | null
  enabled: boolean
  disabled_reason: 'failing' | 'gone' | null
  created_at: string
  last_delivery: { number: number; hash: string }
  /** Statistics of the last 100 attempts. */
  health: {
    attempts: number
    succeeded: number
    median_ms: number | null
    /** Counted up to 1,000. */
    waiting: number
    oldest_waiting_at: string | null
    failing_since: string | null
    paused_until: string | null
  }
}

export interface WebhookAttempt {
  started_at: string
  duration_ms: number
  status: number | null
  answer: string | null
  error: string | null
}

export interface WebhookDelivery {
  /** The endpoint's id, a dot, and the number. */
  id: string
  endpoint_id: string
  number: number
  notification_id: string
  type: string
  claim_id: string | null
  status: DeliveryStatus
  created_at: string
  next_attempt_at: string | null
  hash: string
  previous_hash: string
  /** Oldest first. */
  attempts: WebhookAttempt[]
}
