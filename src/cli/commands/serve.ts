import cluster from 'node:cluster'
import type { Command } from 'commander'
import { readConfig, readWorkerNumber, SETTINGS } from '../../config/config.ts'

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service until SIGTERM or Ctrl-C')
    .addHelpText('after', `\nSettings, from the environment:\n${settingsText()}`)
    .action(async () => {
      const config = readConfig()
      const worker = cluster.isWorker ? readWorkerNumber() : null
      // Imported here: without the HTTP server other commands start twice as fast.
      const { runService, runServiceAsWorker } = await import('../run-service.ts')
      if (worker === null) await runService(config)
      else await runServiceAsWorker(config, worker)
    })
}

function settingsText(): string {
  return Object.values(SETTINGS)
    .map(
      ({ name, fallback, doc }) =>
        `  ${name}${fallback === null ? '' : ` (${fallback})`}\n      ${inPlainText(doc)}\n`,
    )
    .join('')
}

/** Removes Markdown, and sentences with links to documents, which the package does not contain. */
const inPlainText = (doc: string): string =>
  doc.replaceAll(/ See \[[^\]]+\]\([^)]+\.md(?:#[^)]+)?\)\./g, '').replaceAll('`', '')
