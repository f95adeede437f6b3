import { resolve } from 'node:path'
import { restoreInto } from '../../backup/restore-into.ts'
import { readConfig } from '../../config/config.ts'
import { confirm } from '../../platform/terminal/output.ts'
import { killedAfter, listenForStop } from '../../platform/terminal/stop-signal.ts'
import { contentsInWords } from './contents-in-words.ts'
import { Progress } from './progress.ts'
import { openBackup } from './read-file.ts'

/** `claimkeeper restore`. */
export async function runRestore(
  path: string,
  { disablesWebhooks }: { disablesWebhooks: boolean },
): Promise<void> {
  const { databaseUrl, dataDir } = readConfig()
  const signal = listenForStop()
  const progress = new Progress('Restoring')
  const source = await openBackup(path, (bytes) => progress.advance(bytes))
  progress.begin(source.bytes)
  try {
    const report = (step: string) => progress.note(step)
    const work = restoreInto({ databaseUrl, dataDir }, source.pieces, { disablesWebhooks, report, signal })
    const restored = await killedAfter(signal, work)
    progress.end()
    const where = databaseUrl === null ? `in ${resolve(dataDir)}` : `at ${new URL(databaseUrl).host}`
    await confirm(
      [
        `The backup is restored, into the database ${where}.`,
        contentsInWords(restored),
        'Tokens that were revoked after the backup are valid again. All users must sign in again.',
      ].join('\n'),
    )
  } finally {
    progress.end()
  }
}
