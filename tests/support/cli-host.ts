import { run } from '../../src/cli/run.ts'

/* A process that runs `claimkeeper …` commands one after the other, and returns their output (`shared-cli.ts`). */

export interface CliRequest {
  args: string[]
  env: NodeJS.ProcessEnv
}

process.setMaxListeners(0)
process.stdout.setMaxListeners(0)
process.stderr.setMaxListeners(0)

process.on('message', async ({ args, env }: CliRequest) => {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  const status = await run(['node', 'claimkeeper', ...args])
  process.exitCode = undefined
  process.send?.({ status, stdout: stdout(), stderr: stderr() })
})

/** Captures output until the returned function is called, which returns the text. */
function capture(stream: NodeJS.WriteStream): () => string {
  const write = stream.write
  let text = ''
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const written = rest.at(-1)
    if (typeof written === 'function') written()
    return true
  }
  return () => {
    stream.write = write
    return text
  }
}
