import { leastSquares } from './least-squares.ts'

/** What is spent: seconds of cores, and bytes of write-ahead log. */
export const RESOURCES = ['client', 'server', 'coordinator', 'workers', 'walBytes'] as const
export type Resource = (typeof RESOURCES)[number]
export type Spent = Record<Resource, number>

/** What has a cost of its own: a request, a group (what is written combineRounds), and each event or claim in it. */
export interface Counts {
  requests: number
  groups: number
  events: number
}

const TERMS = ['requests', 'groups', 'events'] as const

/** A load that was measured: how much of each there was, and what was spent on it. */
export interface Sample {
  counts: Counts
  spent: Spent
}

/** Of each resource, what one of each takes. */
export type Costs = Record<Resource, Counts>

/** Of requests PostgreSQL knows nothing. */
const termsOf = (resource: Resource) =>
  resource === 'client' || resource === 'server' ? TERMS : TERMS.slice(1)

export function fitCosts(samples: readonly Sample[], withRequests = true): Costs {
  const of = (resource: Resource): Counts => {
    const terms = withRequests ? termsOf(resource) : TERMS.slice(1)
    const found = leastSquares(
      samples.map(({ counts }) => terms.map((term) => counts[term])),
      samples.map(({ spent }) => spent[resource]),
    )
    const cost = { requests: 0, groups: 0, events: 0 }
    for (const [i, term] of terms.entries()) cost[term] = found[i] as number
    return cost
  }
  return Object.fromEntries(RESOURCES.map((resource) => [resource, of(resource)])) as Costs
}

/** Cost of a number of requests, groups and events. */
export function spentOn(costs: Costs, counts: Counts): Spent {
  const of = (cost: Counts) => TERMS.reduce((sum, term) => sum + cost[term] * counts[term], 0)
  return Object.fromEntries(RESOURCES.map((resource) => [resource, of(costs[resource])])) as Spent
}

/** Of one event. */
export const countsOfOne = ({ requests, groups, events }: Counts): Counts => ({
  requests: requests / events,
  groups: groups / events,
  events: 1,
})

/** Of all processors combineRounds, without the caller's. */
export const coresOf = ({ server, coordinator, workers }: Spent): number => server + coordinator + workers
