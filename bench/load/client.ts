import { Connection } from './connection.ts'
import { PhaseRun } from './phase-run.ts'
import type { Message, PhaseResult, Plan } from './plan.ts'
import { requestsOf } from './requests.ts'

// The load client, a process of its own: its plan comes as the first message, its results are its only answer.
// A message "stop" ends the phase that is on.

let current: PhaseRun | null = null

async function follow(plan: Plan): Promise<PhaseResult[]> {
  const connections = await Promise.all(
    Array.from({ length: plan.connections }, () =>
      Connection.open(plan.url, {
        onAnswer: (connection, status, body) => current?.answered(connection, status, body),
        onBroken: (error) => answer({ error: error.message }),
      }),
    ),
  )
  const results: PhaseResult[] = []
  for (const phase of plan.phases) {
    current = new PhaseRun(phase, requestsOf(phase.requests, plan.url, plan.token), connections)
    results.push(await current.run())
  }
  return results
}

function answer(message: Message): void {
  process.send?.(message, () => process.exit())
}

process.once('uncaughtException', (error) => answer({ error: error.message }))
process.once('disconnect', () => process.exit())
process.once('message', (plan: Plan) => {
  process.on('message', () => current?.stop())
  follow(plan).then(
    (results) => answer({ results }),
    (error: Error) => answer({ error: error.message }),
  )
})
