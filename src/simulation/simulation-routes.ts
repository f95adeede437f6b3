import type { FastifySchemaCompiler } from 'fastify'
import type { App } from '../app.ts'
import { readContractSource } from '../claims/contract-source.ts'
import { MAX_EVENTS } from '../core/claims/event.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { inSlices } from '../platform/concurrency/in-slices.ts'
import { inTurnToSimulate } from '../platform/http/limits/answer-seats.ts'
import { takeMemoryFor } from '../platform/http/limits/work-memory.ts'
import { itemReader, validateEnvelope } from '../platform/http/responses/batch.ts'
import { BODY_ERRORS, ref, responses } from '../platform/http/responses/responses.ts'
import { readTime } from '../platform/http/responses/scalars.ts'
import { sendJson } from '../platform/http/responses/send-json.ts'
import { route } from '../platform/http/route.ts'
import { presentSimulation } from './present-simulation.ts'
import { readSimulatedEvents } from './read-simulated-events.ts'
import { simulateContract } from './simulate-contract.ts'
import {
  SimulatedEvent,
  type SimulatedEventFields,
  SimulationBody,
  SimulationRequestBody,
} from './simulation-bodies.ts'

const ERRORS: ErrorCode[] = [...BODY_ERRORS, 'SCHEMA_NOT_FOUND']

export function simulateContractRoute(app: App, compile: FastifySchemaCompiler<object>) {
  const readItem = itemReader<SimulatedEventFields>(compile, SimulatedEvent)
  return route({
    method: 'POST',
    url: '/v1/simulations',
    ...inTurnToSimulate,
    config: { items: { name: 'events', most: MAX_EVENTS } },
    validatorCompiler: validateEnvelope(compile, 'events'),
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
    handler: async (request, reply) => {
      const { opened_at, until, events } = request.body
      const asked = {
        userId: request.userId,
        source: readContractSource(request.body),
        openedAt: opened_at === undefined ? null : readTime(opened_at),
        until: until === undefined ? null : readTime(until),
        events: await inSlices(readSimulatedEvents(events, readItem)),
      }
      const simulation = await simulateContract(app, asked, takeMemoryFor(request))
      return sendJson(reply, presentSimulation(simulation))
    },
  })
}
