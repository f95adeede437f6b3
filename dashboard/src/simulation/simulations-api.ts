import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Outcome, Status } from '../../../src/core/claims/lifecycle.ts'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import type { JsonObject } from '../../../src/kernel/json.ts'
import { post } from '../api/client.ts'
import type { ClaimEvent, HintBody, StatusTransition } from '../api/records.ts'
import type { EventEffect } from '../events/event-effects.ts'

export interface SimulationRequest {
  contract: Contract
  opened_at: string
  events: (JsonObject & { type: string; at: string })[]
}

export type SimulationEntry =
  | {
      kind: 'event'
      at: string
      event: ClaimEvent
      accepted: boolean
      code?: string
      replayed?: boolean
      effect?: EventEffect
      /** Seconds since the window ended. */
      late_by?: number
    }
  | ({ kind: 'transition' } & StatusTransition)

export interface Simulation {
  opened_at: string
  timeline: SimulationEntry[]
  final: {
    status: Status
    scheduled_outcome: Outcome | null
    status_since: string
    due_at: string | null
    paused_since?: string | null
    remaining?: number | null
  }
  hints: HintBody[]
}

/** Simulates a claim with these events. Nothing is stored. */
export const simulationQuery = (request: SimulationRequest | null) =>
  queryOptions({
    queryKey: ['simulation', request],
    queryFn: () => post<Simulation>('/v1/simulations', request),
    enabled: request !== null,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
