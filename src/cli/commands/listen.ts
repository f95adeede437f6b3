import { type Command, InvalidArgumentError } from 'commander'
import { isToken } from '../../accounts/tokens/api-token.ts'
import { readToken, TOKEN } from '../../config/config.ts'
import { OperatorError } from '../../kernel/operator-error.ts'

interface Options {
  forwardTo: string
  url: string
  token?: string
  types?: string
  customer?: string
  secret?: string
  fromStart?: true
}

export function addListenCommand(program: Command): void {
  program
    .command('listen')
    .description('deliver the notifications of a running service to a local address, signed like a webhook')
    .requiredOption('--forward-to <url>', 'the local address, such as http://127.0.0.1:3000/hook', toUrl)
    .option('--url <url>', 'the service', toServiceUrl, 'http://127.0.0.1:8080')
    .option('--token <token>', `an API token of the account (default: the environment’s ${TOKEN})`)
    .option(
      '--types <types>',
      'only these types, such as claim.confirmed,claim.failed (default: all except single events)',
    )
    .option('--customer <id>', 'only claims and candidates of this customer')
    .option('--secret <whsec_…>', 'signs the deliveries (default: a new one, which is printed)', toSecret)
    .option('--from-start', 'begin with the oldest stored notification (default: with new ones)')
    .addHelpText('after', NOTES)
    .action(listen)
}

const NOTES = `
For development: the receiver needs no public address, and the service no endpoint. Each notification is sent once the
previous one has arrived. If the receiver fails, or takes longer than 15 s, the notification is sent up to three more
times. Then the next one is sent. The numbers of the deliveries begin at 1 at each start of this command.`

async function listen(options: Options): Promise<void> {
  const token = options.token ?? readToken()
  const { url, forwardTo, types = null, customer: customerId = null, secret = null } = options
  if (token === null) {
    const how = `Create one with claimkeeper token create, and give it as ${TOKEN} or with --token`
    throw new OperatorError(`an API token is needed. ${how}.`)
  }
  if (!isToken(token))
    throw new OperatorError('the API token must be ck_ and 43 characters of A-Z a-z 0-9 - _.')
  // Imported here so that other commands start without the HTTP client.
  const { runListen } = await import('../listen/run-listen.ts')
  await runListen({ url, token, types, customerId, forwardTo, secret, fromStart: options.fromStart === true })
}

function toUrl(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidArgumentError('It must be a URL that begins with http:// or https://.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('It must have no user and no password.')
  }
  return url.href
}

/** A URL without a query or fragment, because paths are appended. */
function toServiceUrl(text: string): string {
  const url = new URL(toUrl(text))
  if (url.search !== '' || url.hash !== '') throw new InvalidArgumentError('It must end with its path.')
  return url.href.replace(/\/+$/, '')
}

function toSecret(text: string): string {
  const [, key = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (key === '' || Buffer.from(key, 'base64').toString('base64') !== key) {
    throw new InvalidArgumentError('It must be whsec_ and a key in base64.')
  }
  return text
}
