import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Cleanup } from '../cleanup.ts'

export interface ScriptCost {
  seconds: number
  /** CPU time. Other work on the machine does not change it. */
  cpuSeconds: number
  /** Peak memory: the maximum resident set. */
  megabytes: number
}

const PRINT_USAGE_AT_EXIT = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write('usage=' + JSON.stringify(process.resourceUsage()) + '\\n'))",
)}`

/** Runs Node as a child process and measures it. The child prints its resource usage when it exits. */
export async function measureScript(args: string[], cleanup: Cleanup): Promise<ScriptCost> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['--import', PRINT_USAGE_AT_EXIT, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const removeCleanup = cleanup.add(() => void child.kill())
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [status] = await once(child, 'close')
  removeCleanup()
  const usage = /usage=(\{.*\})/.exec(stderr)?.[1]
  if (status !== 0 || !usage) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(usage)
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 }
}
