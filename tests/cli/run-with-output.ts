import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { childEnvironment, MAIN } from '../support/serve-process.ts'

/** `claimkeeper …` whose standard output is this file, or a pipe that nobody reads. */
export async function runWithOutput(
  output: number | 'closed pipe',
  args: string[],
  settings: Record<string, string> = {},
) {
  const stdio = ['ignore', output === 'closed pipe' ? 'pipe' : output, 'pipe'] as const
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: childEnvironment(settings),
    stdio: [...stdio],
  })
  child.stdout?.destroy()
  const closed = once(child, 'close')
  const stderr = child.stderr ? await text(child.stderr) : ''
  const [status] = await closed
  return { status: status as number | null, stderr }
}
