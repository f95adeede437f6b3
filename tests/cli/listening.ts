import type { ApiClient } from '../support/api-client.ts'
import { eventually } from '../support/eventually.ts'
import { type CliProcess, startCli } from '../support/serve-process.ts'
import type { Scope } from '../support/test-database.ts'

export interface Listening extends CliProcess {
  /** Waits until it has printed the text. */
  untilPrinted: (text: string) => Promise<unknown>
  /** What it has printed of deliveries, without times and durations. */
  lines: () => string[]
  /** That it has printed. */
  secret: () => string
}

interface Place {
  api: ApiClient
  /** Of the receiver. */
  to: string
  /** Of the service, if it is reached by another way. */
  by?: string
}

/** `claimkeeper listen`, which follows the feed already unless it begins with its start. */
export async function startListening(
  t: Scope,
  { api, to, by = api.url }: Place,
  args: string[] = [],
  settings: Record<string, string> = {},
): Promise<Listening> {
  const command = ['listen', '--url', by, '--forward-to', to, ...args]
  const child = startCli(t, command, { CLAIMKEEPER_TOKEN: api.token ?? '', ...settings })
  const untilPrinted = (text: string) => eventually(async () => child.stdout().includes(text))
  await untilPrinted('Following from')
  const lines = () =>
    [...child.stdout().matchAll(/^\d\d:\d\d:\d\d {2}(.*)$/gm)].map(([, line = '']) =>
      line.replace(/\d+ ms/, '… ms').replace(/ {2,}/g, ' '),
    )
  const secret = () => /whsec_\S+/.exec(child.stdout())?.[0] ?? ''
  return { ...child, untilPrinted, lines, secret }
}

/** As the lines have it. */
export const shortened = (id: string) => `${id.slice(0, 8)}…${id.slice(-6)}`
