import type { Command } from 'commander'
import { checkArchive, findArchivedLine, listArchive } from '../../archive/archived-lines.ts'
import { restoreClaim } from '../../archive/restore-claim.ts'
import { readConfig } from '../../config/config.ts'
import type { ClaimAddress } from '../../core/claims/claim.ts'
import { OperatorError, UsageError } from '../../kernel/operator-error.ts'
import { isUuid } from '../../kernel/uuid.ts'
import { print, printJson, reportChange } from '../../platform/terminal/output.ts'
import { printable, printableJson } from '../../platform/terminal/printable.ts'
import { formatTable } from '../../platform/terminal/table.ts'
import { runCommand } from '../run-command.ts'

export function addArchiveCommand(program: Command): void {
  const archive = program
    .command('archive')
    .description('archived claims and candidates, in the files of CLAIMKEEPER_ARCHIVE_DIR')
  addList(archive)
  addShow(archive)
  addRestore(archive)
  addCheck(archive)
}

function addList(archive: Command): void {
  archive
    .command('list')
    .description('list the files of the archive, the oldest claims first')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: true }) => {
      const files = await runCommand(listArchive)
      if (json) return printJson(files)
      await print(
        formatTable(
          ['FILE', 'ACCOUNT', 'CLAIMS', 'BYTES', 'WRITTEN'],
          files.map(({ path, userId, claims, bytes, writtenAt }) => [
            path,
            userId,
            `${claims}`,
            `${bytes}`,
            writtenAt.toISOString(),
          ]),
        ),
      )
    })
}

interface Named {
  candidate?: true
}

function addShow(archive: Command): void {
  archive
    .command('show')
    .description('print an archived claim with its contract and its log, as JSON')
    .argument('<id>', 'the claim’s id')
    .option('--candidate', 'it is the alias of a candidate')
    .action(async (id: string, { candidate }: Named) => {
      const address = toAddress(id, candidate)
      const folder = archiveFolder()
      const { line } = await runCommand((app) => findArchivedLine(app, folder, address))
      await print(printableJson(JSON.stringify(JSON.parse(line), null, 2)))
    })
}

function addRestore(archive: Command): void {
  archive
    .command('restore')
    .description('restore an archived claim into the database')
    .argument('<id>', 'the claim’s id')
    .option('--candidate', 'it is the alias of a candidate')
    .action(async (id: string, { candidate }: Named) => {
      const address = toAddress(id, candidate)
      const folder = archiveFolder()
      await runCommand((app) => restoreClaim(app, folder, address))
      await reportChange(`Restored ${printable(id)}.`)
    })
}

function addCheck(archive: Command): void {
  archive
    .command('check')
    .description('read all files of the archive and compare them with the database’s records')
    .action(async () => {
      const folder = archiveFolder()
      const { files, faults, orphans } = await runCommand((app) => checkArchive(app, folder))
      for (const path of orphans)
        await print(`${printable(path)}: no claim is in it by the database’s records. It may be deleted.`)
      for (const fault of faults) await print(printable(fault))
      if (faults.length > 0)
        throw new OperatorError(`${faults.length} of ${files} files are damaged or missing.`)
      await print(`All ${files} files are unchanged.`)
    })
}

function archiveFolder(): string {
  const { archiveDir } = readConfig()
  if (archiveDir === null)
    throw new OperatorError('CLAIMKEEPER_ARCHIVE_DIR must name the folder of the archive.')
  return archiveDir
}

function toAddress(id: string, isCandidate = false): ClaimAddress {
  if (isCandidate) return { kind: 'candidate', alias: id }
  if (!isUuid(id))
    throw new UsageError(`${id} is not a UUID. For the alias of a candidate, give --candidate.`)
  return { kind: 'claim', id: id.toLowerCase() }
}
