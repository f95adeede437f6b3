import { type Command, InvalidArgumentError } from 'commander'
import { createToken, listTokens, revokeToken } from '../../accounts/tokens/tokens.ts'
import { MAX_NAME_LENGTH } from '../../core/limits.ts'
import { parseIsoTime } from '../../kernel/iso-time.ts'
import { isUuid } from '../../kernel/uuid.ts'
import { print, printJson, reportChange } from '../../platform/terminal/output.ts'
import { printable } from '../../platform/terminal/printable.ts'
import { formatTable } from '../../platform/terminal/table.ts'
import { runCommand } from '../run-command.ts'

export function addTokenCommand(program: Command): void {
  const token = program.command('token').description('API tokens')

  token
    .command('create')
    .description('create a token and print it; it is not shown again')
    .requiredOption('--email <email>', 'the account of the token')
    .requiredOption('--name <name>', 'the purpose of the token, such as "billing job"', toName)
    .option(
      '--expires <time>',
      'when it expires, such as 2027-01-31 or 2027-01-31T12:00:00Z, in UTC if it has no zone (default: never)',
      toFutureTime,
    )
    .action(async ({ email, name, expires }: { email: string; name: string; expires?: Date }) => {
      await runCommand((app) => createToken(app, { email, name, expiresAt: expires ?? null }, print))
    })

  token
    .command('list')
    .description('list all tokens, oldest first')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: true }) => {
      const tokens = await runCommand(listTokens)
      if (json) return printJson(tokens)
      await print(
        formatTable(
          ['ID', 'ACCOUNT', 'NAME', 'CREATED', 'EXPIRES', 'STATE'],
          tokens.map(({ id, email, name, createdAt, expiresAt, state }) => [
            id,
            email,
            name,
            createdAt.toISOString(),
            expiresAt?.toISOString() ?? 'never',
            state,
          ]),
        ),
      )
    })

  token
    .command('revoke')
    .description('revoke a token at once, on every server')
    .argument('<id>', 'its ID, from: claimkeeper token list', toId)
    .action(async (id: string) => {
      await runCommand((app) => revokeToken(app, id))
      await reportChange(`Revoked ${printable(id)}.`)
    })
}

function toId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It is not a token’s ID. See: claimkeeper token list')
  return text
}

function toName(text: string): string {
  if (text === '' || text.length > MAX_NAME_LENGTH)
    throw new InvalidArgumentError(`It must have 1 to ${MAX_NAME_LENGTH} characters.`)
  return text
}

/** A date, or a time without a zone. It is read as UTC. */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d(?<clock>[T\s][\d:.,]+)?$/i

/** Reports on standard error how a time without a zone was read: standard output has only the token. */
function toFutureTime(text: string): Date {
  const found = WITHOUT_ZONE.exec(text)
  const zone = found?.groups?.clock === undefined ? 'T00:00Z' : 'Z'
  const time = parseIsoTime(found === null ? text : `${text}${zone}`)
  if (typeof time === 'string') throw new InvalidArgumentError(`It ${time}.`)
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError(`${time.toISOString()} is in the past.`)
  if (found !== null) console.error(`${text} has no time zone: read as ${time.toISOString()} (UTC).`)
  return time
}
