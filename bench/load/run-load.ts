import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.ts'
import type { Message, PhaseResult, Plan } from './plan.ts'

const CLIENT = fileURLToPath(new URL('client.ts', import.meta.url))

export interface Load {
  /** One result for each phase. */
  results: Promise<PhaseResult[]>
  /** Ends the current phase. */
  stop: () => void
}

/** Starts the load client with a plan. */
export function startLoad(plan: Plan, cleanup: Cleanup): Load {
  const child = fork(CLIENT, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const removeCleanup = cleanup.add(() => void child.kill())
  const results = new Promise<PhaseResult[]>((resolve, reject) => {
    child.once('message', (message: Message) => {
      if ('results' in message) resolve(message.results)
      else reject(new Error(`load client: ${message.error}`))
    })
    child.once('exit', (code, signal) => {
      removeCleanup()
      reject(new Error(`the load client ended with ${code ?? signal}`))
    })
  })
  child.send(plan)
  return { results, stop: () => void child.send('stop') }
}

/** Runs a plan of one phase to its end. */
export async function runLoad(plan: Plan, cleanup: Cleanup): Promise<PhaseResult> {
  const [result] = await startLoad(plan, cleanup).results
  return result as PhaseResult
}
