import { type Answer, type ApiClient, describeError, errorCode } from './api-client.ts'
import { workThrough } from './connections.ts'
import { ReplayFailure } from './failure.ts'
import type { LogEvent } from './read-log.ts'

export interface Submissions {
  /** Recorded by the service, the replayed ones included. */
  accepted: number
  /** Recorded by a request whose answer was lost, and reported when it was sent again. */
  replayed: number
  /** Refused as CLAIM_NOT_OPEN. */
  refused: number
}

/** Submits the events, given in the order of their times, over several connections. */
export async function submitEvents(
  client: ApiClient,
  events: LogEvent[],
  claimIds: Map<string, string>,
  connections: number,
  onSubmitted: () => void,
): Promise<Submissions> {
  const counts: Submissions = { accepted: 0, replayed: 0, refused: 0 }
  await workThrough(queueByCase(events, connections), async (event) => {
    count(await submitEvent(client, event, claimIds.get(event.caseName) as string), event, counts)
    onSubmitted()
  })
  return counts
}

/**
 * A queue for each connection. A case stays on one, so its events arrive in their order. A new case goes to
 * the queue that is the shortest up to there, so the connections pass through the log's time side by side.
 */
function queueByCase(events: LogEvent[], connections: number): LogEvent[][] {
  const queues: LogEvent[][] = Array.from({ length: connections }, () => [])
  const queueOf = new Map<string, LogEvent[]>()
  for (const event of events) {
    const queue = queueOf.get(event.caseName) ?? shortest(queues)
    queueOf.set(event.caseName, queue)
    queue.push(event)
  }
  return queues
}

const shortest = (queues: LogEvent[][]) =>
  queues.reduce((least, queue) => (queue.length < least.length ? queue : least))

/** The id is the row's own, so a request that is sent again is answered with what was recorded. */
function submitEvent(client: ApiClient, event: LogEvent, claimId: string): Promise<Answer> {
  const { type, line, payload } = event
  return client.send('POST', '/v1/events', { ...payload, claim_id: claimId, id: `row-${line}`, type })
}

function count(answer: Answer, event: LogEvent, counts: Submissions): void {
  if (answer.status === 422 && errorCode(answer) === 'CLAIM_NOT_OPEN') {
    counts.refused++
    return
  }
  if (answer.status !== 201 && answer.status !== 200) {
    const where = `line ${event.line}, "${event.type}" of case "${event.caseName}"`
    throw new ReplayFailure(`an event cannot be submitted (${where}): ${describeError(answer)}`)
  }
  counts.accepted++
  if (answer.status === 200) counts.replayed++
}
