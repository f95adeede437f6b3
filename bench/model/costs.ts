import { leastSquares } from './least-squares.ts'

/** Measured resources: seconds of CPU time, and bytes of write-ahead log. */
export const RESOURCES = ['client', 'server', 'coordinator', 'workers', 'walBytes'] as const
export type Resource = (typeof RESOURCES)[number]
export type Spent = Record<Resource, number>

/** Units of cost: requests, groups (written together), and events or claims in the groups. */
export interface Counts {
  requests: number
  groups: number
  events: number
}

const TERMS = ['requests', 'groups', 'events'] as const

/** A measured load: its units and the resources that it used. */
export interface Sample {
  counts: Counts
  spent: Spent
}

/** The cost of one unit, by resource. */
export type Costs = Record<Resource, Counts>

/** Requests have no cost in PostgreSQL. */
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

/** Units per event. */
export const countsOfOne = ({ requests, groups, events }: Counts): Counts => ({
  requests: requests / events,
  groups: groups / events,
  events: 1,
})

/** CPU time of the servers and of PostgreSQL, without the load client. */
export const coresOf = ({ server, coordinator, workers }: Spent): number => server + coordinator + workers
