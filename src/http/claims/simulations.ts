import type { FastifySchemaCompiler } from 'fastify'
import type { App } from '../../app/app.ts'
import { simulateContract } from '../../app/claims/simulate-contract.ts'
import { inSlices } from '../../app/in-slices.ts'
import { MAX_EVENTS } from '../../domain/claims/event.ts'
import type { ErrorCode } from '../../errors.ts'
import { inTurnToSimulate } from '../bounds/answer-seats.ts'
import { takeMemoryFor } from '../bounds/work-memory.ts'
import { itemReader, validateEnvelope } from '../protocol/batch.ts'
import { BODY_ERRORS, ref, responses } from '../protocol/responses.ts'
import { readTime } from '../protocol/scalars.ts'
import { sendJson } from '../protocol/send-json.ts'
import { route } from '../route.ts'
import { readContractSource } from './contract-source.ts'
import { presentSimulation } from './present-simulation.ts'
import { readSimulatedEvents } from './read-simulated-events.ts'
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
