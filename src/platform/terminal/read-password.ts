import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { OperatorError } from '../../kernel/operator-error.ts'
import { withRejectionHandler } from '../../kernel/promises.ts'

/**
 * Reads a new password: on a terminal twice and hidden, otherwise all of standard input without the newline at its end.
 */
export async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '')
  const password = await ask('Password: ')
  if (password !== (await ask('Once more: '))) throw new OperatorError('The passwords differ.')
  return password
}

/** In raw mode the terminal does not echo, and readline writes its output to a stream that discards it. */
async function ask(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  const cancelled = withRejectionHandler(
    new Promise<never>((_, reject) => {
      lines.on('SIGINT', () => reject(new OperatorError('Cancelled.')))
    }),
  )
  process.stderr.write(prompt)
  try {
    return await Promise.race([lines.question(''), cancelled])
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
