import type { App } from '../../app/app.ts'
import { simulateContract } from '../../app/simulate-contract.ts'
import { type ErrorCode, validationError } from '../../errors.ts'
import { presentSimulation } from '../present.ts'
import { readSubmission } from '../read-submission.ts'
import { readTime } from '../read-time.ts'
import { BODY_ERRORS, ref, responses } from '../schemas/responses.ts'
import { SimulationBody, SimulationRequestBody } from '../schemas/simulation.ts'
import type { TypedServer } from '../typed-server.ts'
import { readContractSource } from './contract-source.ts'

const ERRORS: ErrorCode[] = [...BODY_ERRORS, 'SCHEMA_NOT_FOUND']

export function addSimulationRoutes(server: TypedServer, app: App): void {
  server.post(
    '/v1/simulations',
    {
      schema: {
        operationId: 'simulateContract',
        summary: 'Simulate a contract',
        description:
          'What the service would make of these events at these times, by the same decisions. Events of one instant ' +
          'are taken in the order given, after the check of that minute. Nothing is stored.',
        tags: ['Simulations'],
        body: SimulationRequestBody,
        response: responses({ 200: { description: 'What happens.', schema: ref(SimulationBody) } }, ERRORS),
      },
    },
    async (request) => {
      const { opened_at, until, events } = request.body
      const simulation = await simulateContract(app, {
        userId: request.userId,
        source: readContractSource(request.body),
        openedAt: opened_at === undefined ? null : readTime(opened_at, 'opened_at'),
        until: until === undefined ? null : readTime(until, 'until'),
        events: events.map(({ at, ...event }, i) => ({
          at: readTime(at, `events[${i}].at`),
          submission: readSubmission(withoutAddress(event, i), `event-${i + 1}`).submission,
        })),
      })
      return presentSimulation(simulation)
    },
  )
}

/** There is one claim, and it has no name. */
function withoutAddress<Event extends object>(event: Event, index: number): Event {
  for (const field of ['claim_id', 'candidate_alias']) {
    if (field in event) {
      throw validationError([
        { path: `events[${index}].${field}`, message: 'is not known here: there is one claim' },
      ])
    }
  }
  return event
}
