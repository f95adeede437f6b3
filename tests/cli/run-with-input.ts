import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { childEnvironment, MAIN } from '../support/serve-process.ts'

/** `claimkeeper …` with this on standard input, as a script gives it. */
export async function runWithInput(databaseUrl: string, args: string[], input: string | Buffer) {
  const env = childEnvironment({ DATABASE_URL: databaseUrl })
  const child = spawn(process.execPath, [MAIN, ...args], { env })
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { stdout, stderr, status: await closed }
}
