import { styleText } from 'node:util'
import type { Header } from '../../backup/backup-format.ts'
import { withRestored } from '../../backup/restore-backup.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { checkDisk } from '../../doctor/check-server.ts'
import { type Examination, examineContents, examineDatabase } from '../../doctor/examine.ts'
import { type Finding, fault, ok } from '../../doctor/finding.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { withDatabaseAsItIs } from '../../platform/database/open-database.ts'
import { print } from '../../platform/terminal/output.ts'
import { printable, printableJson } from '../../platform/terminal/printable.ts'
import { listenForStop, withStopTimeout } from '../../platform/terminal/stop-signal.ts'
import { formatStyledTable } from '../../platform/terminal/table.ts'
import { workerCount } from '../../service/workers/start-workers.ts'
import { contentsInWords, Progress } from '../backup/progress.ts'
import { openBackup } from '../backup/run-restore.ts'
import { lowerPriority } from '../run-command.ts'

interface DoctorOptions {
  backup?: string
  all: boolean
  json: boolean
}

/** `claimkeeper doctor`. Returns false if there is a fault. */
export async function runDoctor({ backup, all, json }: DoctorOptions): Promise<boolean> {
  lowerPriority()
  const signal = listenForStop()
  const progress = new Progress('Examining')
  const findings: Finding[] = [ok('Node', process.versions.node)]
  let contents: Header | null = null
  try {
    const config = checkSettings(findings)
    if (config !== null) {
      const examination = { all, webhookKey: config.webhookKey, advance: countClaims(progress) }
      if (backup === undefined) await examineOwn(config, examination, findings, progress, signal)
      else contents = await examineBackup(backup, examination, findings, progress, signal)
    }
  } finally {
    progress.end()
  }
  await print(json ? reportJson(findings, contents) : reportTable(findings, contents))
  return findings.every(({ status }) => status !== 'fault')
}

/** Returns null if the settings cannot be used. */
function checkSettings(findings: Finding[]): Config | null {
  try {
    const config = readConfig()
    workerCount(config)
    findings.push(ok('Settings', 'can be used'))
    return config
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    findings.push(
      fault('Settings', error.message.replace(/\.$/, ''), 'Correct the setting. Nothing else was checked.'),
    )
    return null
  }
}

async function examineOwn(
  config: Config,
  examination: Examination,
  findings: Finding[],
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { databaseUrl, dataDir, databasePoolSize: poolSize, allowUnsafeDatabase: allowUnsafe } = config
  const report = (step: string) => progress.note(step)
  const settings = { poolSize, workers: workerCount(config), allowUnsafe }
  try {
    const work = withDatabaseAsItIs(
      { databaseUrl, dataDir, mayCreate: false, report, signal },
      async (database) => {
        if (databaseUrl === null) findings.push(await checkDisk(dataDir))
        findings.push(...(await examineDatabase(database, settings, examination)))
      },
    )
    await withStopTimeout(signal, work)
  } catch (error) {
    if (signal.aborted || !(error instanceof OperatorError)) throw error
    findings.push(fault('Database', error.message, 'The database was not examined.'))
  }
}

async function examineBackup(
  path: string,
  examination: Examination,
  findings: Finding[],
  progress: Progress,
  signal: AbortSignal,
): Promise<Header | null> {
  try {
    const source = await openBackup(path, (bytes) => progress.advance(bytes))
    progress.begin(source.bytes)
    const report = (step: string) => progress.note(step)
    const work = withRestored(source.chunks, { report, signal }, async (database, restored) => {
      findings.push(ok('Backup', 'it is complete and was restored into a temporary database'))
      findings.push(...(await examineContents(database, examination)))
      return restored
    })
    return await withStopTimeout(signal, work)
  } catch (error) {
    if (signal.aborted || !(error instanceof OperatorError)) throw error
    findings.push(
      fault('Backup', error.message, 'It cannot be restored. Create another backup, and keep older ones.'),
    )
    return null
  }
}

function countClaims(progress: Progress): (claims: number, total: number) => void {
  let seen = 0
  return (claims, total) => {
    if (seen === 0) progress.begin(total, 'claims')
    progress.advance(claims - seen)
    seen = claims
  }
}

const COLOURS = { ok: 'green', warning: 'yellow', fault: 'red' } as const
/** Characters per line of the widest column. */
const WIDTH = 72

/** The findings as a table, and the recovery point of a backup. */
function reportTable(findings: readonly Finding[], contents: Header | null): string {
  const rows = findings.map(({ what, status, found, advice }) => [
    what,
    styleText(COLOURS[status], status, { stream: process.stdout }),
    inLines(printable(advice === null ? found : `${found}. ${advice}`)),
  ])
  const table = formatStyledTable(['Check', '', 'Found'], rows)
  return contents === null ? table : `${table}\n${contentsInWords(contents)}`
}

/** The same as JSON. */
function reportJson(findings: readonly Finding[], contents: Header | null): string {
  const isWell = findings.every(({ status }) => status !== 'fault')
  const report = {
    ok: isWell,
    checks: findings,
    ...(contents === null ? {} : { recovers_to: inSnakeCase(contents) }),
  }
  return printableJson(JSON.stringify(report, null, 2))
}

const inSnakeCase = ({ takenAt, migration, claimkeeper, claims, lastEvent, lastNotification }: Header) => ({
  taken_at: takenAt,
  migration,
  claimkeeper,
  claims,
  last_event: lastEvent,
  last_notification: lastNotification,
})

/** Breaks the text between words. */
function inLines(text: string): string {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string
    if (line !== '' && line.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join('\n')
}
