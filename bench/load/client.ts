import { Connection } from './connection.ts'
import { PhaseRun } from './phase-run.ts'
import type { Message, PhaseResult, Plan } from './plan.ts'
import { requestsOf } from './requests.ts'

// The load client, in a separate process. The first message is its plan. It sends its results or an error and exits.
// A message "stop" ends the current phase.

let current: PhaseRun | null = null

async function runPlan(plan: Plan): Promise<PhaseResult[]> {
  const connections = await Promise.all(
    Array.from({ length: plan.connections }, () =>
      Connection.open(plan.url, {
        onResponse: (connection, status, body) => current?.handleResponse(connection, status, body),
        onBroken: (error) => sendAndExit({ error: error.message }),
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

function sendAndExit(message: Message): void {
  process.send?.(message, () => process.exit())
}

process.once('uncaughtException', (error) => sendAndExit({ error: error.message }))
process.once('disconnect', () => process.exit())
process.once('message', (plan: Plan) => {
  process.on('message', () => current?.stop())
  runPlan(plan).then(
    (results) => sendAndExit({ results }),
    (error: Error) => sendAndExit({ error: error.message }),
  )
})
