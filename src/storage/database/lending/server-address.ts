import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import { OperatorError } from '../../../operator-error.ts'
import { CONNECT_TIMEOUT_MS, setUpSession } from '../connection-settings.ts'

/** How a connection is encrypted; false for not at all. */
type Encryption = boolean | ConnectionOptions

/** What the address of a PostgreSQL says, in the driver's terms. */
export interface ServerAddress {
  /** For the driver, which reads `sslmode` otherwise than libpq: without what is about encryption. */
  config: Pick<pg.ClientConfig, 'connectionString' | 'ssl'>
  /** With which it is tried once more if the server refuses the first; null for not. */
  otherwise: { ssl: Encryption } | null
  /** Parameters that have no effect, in words that repeat nothing of a password. */
  ignored: string[]
}

/** About encryption: read here. */
const OURS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat']
/** Read by the driver. */
const OF_DRIVER = [
  'user',
  'password',
  'host',
  'port',
  'application_name',
  'fallback_application_name',
  'options',
  'client_encoding',
  'replication',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
]
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
/** These need no encryption to connect, so that nothing about it may be demanded. */
const WEAK = ['disable', 'allow', 'prefer']

/** @throws OperatorError for what libpq refuses as well */
export function addressOf(connectionString: string): ServerAddress {
  const [place = '', query = ''] = splitOnce(connectionString, '?')
  const pairs = query.split('&').filter((pair) => pair !== '')
  const ours = new Map<string, string>()
  const others: string[] = []
  for (const pair of pairs) {
    const [name, value] = [...new URLSearchParams(pair)][0] ?? ['', '']
    if (OURS.includes(name)) ours.set(name, value)
    else others.push(pair)
  }
  const [ssl, otherwise] = isSocket(connectionString) ? [false as const] : encryptionOf(ours)
  const direct = ours.get('sslnegotiation')
  return {
    config: {
      connectionString: others.length > 0 ? `${place}?${others.join('&')}` : place,
      ssl,
      // Of the driver, though its types do not know it.
      ...(direct === undefined ? {} : { sslnegotiation: direct }),
    },
    otherwise: otherwise === undefined ? null : { ssl: otherwise },
    ignored: ignoredOf(pairs),
  }
}

/** Both ways if libpq would try both, the second if the first is refused. */
function encryptionOf(given: ReadonlyMap<string, string>): [Encryption] | [Encryption, Encryption] {
  const mode = modeOf(given)
  const rootcert = given.get('sslrootcert')
  if (rootcert === 'system' && mode !== 'verify-full')
    throw refused(`sslrootcert=system needs sslmode=verify-full`)
  if (given.get('sslnegotiation') === 'direct' && WEAK.includes(mode))
    throw refused('sslnegotiation=direct needs sslmode=require, verify-ca or verify-full')
  const files = {
    ...(rootcert === undefined || rootcert === 'system' ? {} : { ca: fileOf('sslrootcert', given) }),
    ...(given.has('sslcert') ? { cert: fileOf('sslcert', given) } : {}),
    ...(given.has('sslkey') ? { key: fileOf('sslkey', given) } : {}),
  }
  const whoever = { checkServerIdentity: () => undefined }
  // As libpq: with a root certificate, the server's must be of it in every mode.
  const unnamed =
    mode !== 'no-verify' && 'ca' in files ? { ...files, ...whoever } : { ...files, rejectUnauthorized: false }
  if (mode === 'disable') return [false]
  if (mode === 'allow') return [false, unnamed]
  if (mode === 'prefer') return [unnamed, false]
  if (mode === 'verify-ca') return [{ ...files, ...whoever }]
  return mode === 'verify-full' ? [files] : [unnamed]
}

/** Without `sslmode` nothing is encrypted, unless something else asks for it; then the driver has always looked at the name. */
function modeOf(given: ReadonlyMap<string, string>): string {
  const mode = given.get('sslmode')
  if (mode !== undefined && !MODES.includes(mode))
    throw refused(`sslmode must be one of ${MODES.join(', ')}, also in PGSSLMODE`)
  if (mode !== undefined) return mode
  const ssl = given.get('ssl')
  if (ssl === 'no-verify') return ssl
  const isOff = ssl === 'false' || ssl === '0' || ssl === ''
  const asks = ['sslrootcert', 'sslcert', 'sslkey'].some((name) => given.has(name))
  if (asks || given.get('sslnegotiation') === 'direct') return 'verify-full'
  return ssl === undefined || isOff ? 'disable' : 'verify-full'
}

function fileOf(name: string, given: ReadonlyMap<string, string>): string {
  const path = given.get(name) as string
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw refused(`${name} names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

const refused = (why: string) => new OperatorError(`DATABASE_URL: ${why}.`)

/** libpq encrypts nothing on a socket of the machine. */
function isSocket(connectionString: string): boolean {
  const { hostname, searchParams } = new URL(connectionString)
  const host = searchParams.get('host') || hostname
  return host.startsWith('/') || /^%2f/i.test(host)
}

/**
 * A `&` in a password that stands among the parameters would make one of its rest. So beside such a password they are told
 * by their places.
 */
function ignoredOf(pairs: readonly string[]): string[] {
  const names = pairs.map((pair) => [...new URLSearchParams(pair).keys()][0] ?? '')
  const mayBeSecret = names.includes('password')
  return names.flatMap((name, i) => {
    if (OURS.includes(name) || OF_DRIVER.includes(name)) return []
    return [mayBeSecret ? `the parameter at place ${i + 1}` : name]
  })
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Whether libpq would try the other way: the server does not encrypt, or takes only what is, or only what is not. */
export const isRefusedEncryption = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ? error.code === '28000' : isOfEncryption(error)

function isOfEncryption(error: unknown): boolean {
  const { message = '', code = '' } = error as { message?: string; code?: string }
  return / SSL connection/.test(message) || /^ERR_(?:SSL|TLS)|CERT|SIGNATURE/.test(code)
}

/** A connection of its own without timeouts of statements. Its owner ends it. */
export async function connectTo(
  connectionString: string,
  options: Pick<pg.ClientConfig, 'application_name' | 'query_timeout'>,
): Promise<pg.Client> {
  const { config, otherwise } = addressOf(connectionString)
  const all = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true, ...options, ...config }
  const client = await connected(all).catch((error) => {
    if (otherwise === null || !isRefusedEncryption(error)) throw error
    return connected({ ...all, ...otherwise })
  })
  try {
    await setUpSession(client, { statementMs: 0, idleTransactionMs: 0 })
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

async function connected(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  // A connection that breaks shows in what is under way; unheard, this would end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}
