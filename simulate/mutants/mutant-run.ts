import { type ChildProcess, spawn } from 'node:child_process'
import type { Mutant } from './mutant.ts'

const MAX_MESSAGE_CHARACTERS = 160

export interface MutantResult {
  mutant: Mutant
  /** Seconds until the mutant was killed. Null: it survived. */
  killedAfterS: number | null
  /** The finding, or why there was none. */
  message: string
}

export const killed = (mutant: Mutant, startedAt: number, finding: string): MutantResult => ({
  mutant,
  killedAfterS: Math.round((performance.now() - startedAt) / 1000),
  message: finding.slice(0, MAX_MESSAGE_CHARACTERS),
})

export const survived = (mutant: Mutant, message: string): MutantResult => ({
  mutant,
  killedAfterS: null,
  message,
})

export const runFailed = (output: string): string =>
  `the run failed: ${output.slice(-MAX_MESSAGE_CHARACTERS)}`

interface RunOptions {
  folder: string
  /** Afterwards the run is stopped. */
  timeoutMs: number
  /** Receives the output so far. */
  onOutput?: (output: string, child: ChildProcess) => void
}

/** Runs a program of the folder with Node. */
export function runNode(
  args: readonly string[],
  { folder, timeoutMs, onOutput }: RunOptions,
): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: folder, timeout: timeoutMs, killSignal: 'SIGTERM' })
  let output = ''
  const append = (chunk: Buffer) => {
    output += chunk
    onOutput?.(output, child)
  }
  child.stdout.on('data', append)
  child.stderr.on('data', append)
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })))
}
