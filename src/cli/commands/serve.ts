import { relative } from 'node:path'
import type { Command } from 'commander'
import { invitationUrl } from '../../app/invitation-key.ts'
import { type Config, readConfig, SETTINGS } from '../../config.ts'
import { type Service, startService } from '../../service.ts'
import { bannerText } from '../banner.ts'
import { createLog } from '../log.ts'
import { reportTo } from '../run-command.ts'

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service until SIGTERM or Ctrl-C')
    .addHelpText('after', `\nSettings, from the environment:\n${settingsText()}`)
    .action(async () => {
      const config = readConfig()
      const stopSignal = waitForStopSignal()
      const startedAt = performance.now()
      const service = await startService(config, createLog(config.logLevel), reportTo(process.stdout))
      console.log(banner(service, config, performance.now() - startedAt))

      const signal = await stopSignal
      console.log(`${signal}: finishing requests in flight and stopping the database`)
      await service.stop()
      console.log('Stopped.')
      process.exit(0)
    })
}

/**
 * A terminal's Ctrl-C reaches us twice when npm passes it on too, so further signals change nothing: the stop
 * is bounded in time anyway. SIGHUP is a terminal that was closed; it takes no more output, which must not keep
 * the stop from being finished.
 */
function waitForStopSignal(): Promise<NodeJS.Signals> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve)
  })
}

function banner(service: Service, config: Config, startMs: number): string {
  const { url, bootstrap, welcomeKey } = service
  return bannerText({
    url,
    startMs,
    database: config.databaseUrl
      ? `PostgreSQL at ${new URL(config.databaseUrl).host}`
      : `embedded PostgreSQL under ${relative('', config.dataDir) || '.'}`,
    account: bootstrap,
    tokenIsGiven: config.bootstrapToken !== null,
    welcomeUrl: welcomeKey === null ? null : invitationUrl(config.publicUrl ?? url, welcomeKey),
  })
}

function settingsText(): string {
  return Object.values(SETTINGS)
    .map(
      ({ name, fallback, doc }) =>
        `  ${name}${fallback === null ? '' : ` (${fallback})`}\n      ${doc.replaceAll('`', '')}\n`,
    )
    .join('')
}
