import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { OperatorError } from '../../kernel/operator-error.ts'
import { withRejectionHandler } from '../../kernel/promises.ts'

/**
 * A new password: asked for twice on a terminal, without showing it; otherwise all of standard input, without the
 * line's end.
 */
export async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '')
  const password = await ask('Password: ')
  if (password !== (await ask('Once more: '))) throw new OperatorError('The two are not the same.')
  return password
}

/** The terminal is in raw mode, so what is typed is shown only where readline writes it: to nowhere. */
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
