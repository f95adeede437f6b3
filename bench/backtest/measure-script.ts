import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Cleanup } from '../cleanup.ts'

export interface ScriptCost {
  seconds: number
  /** Of the processor: other work on the machine does not change it. */
  busySeconds: number
  /** Peak memory: the maximum resident set. */
  megabytes: number
}

const COST_TELLER = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write('usage=' + JSON.stringify(process.resourceUsage()) + '\\n'))",
)}`

/** Runs Node as a child, which tells what it cost when it ends. */
export async function measureScript(args: string[], cleanup: Cleanup): Promise<ScriptCost> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['--import', COST_TELLER, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const done = cleanup.add(() => void child.kill())
  let told = ''
  child.stderr.on('data', (chunk) => {
    told += chunk
  })
  const [status] = await once(child, 'close')
  done()
  const usage = /usage=(\{.*\})/.exec(told)?.[1]
  if (status !== 0 || !usage) throw new Error(`${args.join(' ')} ended with ${status}: ${told}`)
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(usage)
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, busySeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 }
}
