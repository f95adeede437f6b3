import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { setUpSession } from '../connection-settings.ts'
import { CONNECT_TIMEOUT_MS } from '../limits.ts'

/** How a connection is encrypted; false for not at all. */
type Encryption = boolean | ConnectionOptions

/** The address of a PostgreSQL server as settings of the driver. */
export interface ServerAddress {
  /** Without the parameters of encryption: the driver gives `sslmode` another meaning than libpq. */
  config: Pick<pg.ClientConfig, 'connectionString' | 'ssl'>
  /** The encryption of a second attempt if the server refuses the first; null for no second attempt. */
  fallback: Encryption | null
  /** Names of parameters that have no effect. They contain no part of a password. */
  ignored: string[]
}

/** Parameters that this file interprets. */
const ENCRYPTION_PARAMETERS = [
  'ssl',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'uselibpqcompat',
]
/** Read by the driver. */
const DRIVER_PARAMETERS = [
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
/** In these modes a connection without encryption is allowed. */
const UNENFORCED_MODES = ['disable', 'allow', 'prefer']

/** @throws OperatorError for what libpq refuses as well */
export function addressOf(connectionString: string): ServerAddress {
  const [base = '', query = ''] = splitOnce(connectionString, '?')
  const parameters = query
    .split('&')
    .filter((text) => text !== '')
    .map((text) => {
      const [name, value] = [...new URLSearchParams(text)][0] ?? ['', '']
      return { name, value, text, isOfEncryption: ENCRYPTION_PARAMETERS.includes(name) }
    })
  const given = new Map(
    parameters.filter(({ isOfEncryption }) => isOfEncryption).map(({ name, value }) => [name, value]),
  )
  const others = parameters.filter(({ isOfEncryption }) => !isOfEncryption).map(({ text }) => text)
  const [ssl, fallback] = isSocket(connectionString) ? [false as const] : encryptionOf(given)
  const negotiation = given.get('sslnegotiation')
  return {
    config: {
      connectionString: others.length > 0 ? `${base}?${others.join('&')}` : base,
      ssl,
      // The driver reads it, but its types lack it.
      ...(negotiation === undefined ? {} : { sslnegotiation: negotiation }),
    },
    fallback: fallback ?? null,
    ignored: ignoredOf(parameters.map(({ name }) => name)),
  }
}

/** One or two attempts, in the order of libpq. */
function encryptionOf(given: ReadonlyMap<string, string>): [Encryption] | [Encryption, Encryption] {
  const mode = modeOf(given)
  const rootcert = given.get('sslrootcert')
  if (rootcert === 'system' && mode !== 'verify-full')
    throw refused(`sslrootcert=system needs sslmode=verify-full`)
  if (given.get('sslnegotiation') === 'direct' && UNENFORCED_MODES.includes(mode))
    throw refused('sslnegotiation=direct needs sslmode=require, verify-ca or verify-full')
  const files = {
    ...(rootcert === undefined || rootcert === 'system' ? {} : { ca: fileOf('sslrootcert', given) }),
    ...(given.has('sslcert') ? { cert: fileOf('sslcert', given) } : {}),
    ...(given.has('sslkey') ? { key: fileOf('sslkey', given) } : {}),
  }
  const anyHostName = { checkServerIdentity: () => undefined }
  // As in libpq: with a root certificate, every mode requires a server certificate that it has signed.
  const encrypted =
    mode !== 'no-verify' && 'ca' in files
      ? { ...files, ...anyHostName }
      : { ...files, rejectUnauthorized: false }
  if (mode === 'disable') return [false]
  if (mode === 'allow') return [false, encrypted]
  if (mode === 'prefer') return [encrypted, false]
  if (mode === 'verify-ca') return [{ ...files, ...anyHostName }]
  return mode === 'verify-full' ? [files] : [encrypted]
}

/** Without `sslmode` the connection is not encrypted, unless another parameter requires it. The mode is then `verify-full`, as in the driver. */
function modeOf(given: ReadonlyMap<string, string>): string {
  const mode = given.get('sslmode')
  if (mode !== undefined && !MODES.includes(mode))
    throw refused(`sslmode must be one of ${MODES.join(', ')}, also in PGSSLMODE`)
  if (mode !== undefined) return mode
  const ssl = given.get('ssl')
  if (ssl === 'no-verify') return ssl
  const isOff = ssl === undefined || ssl === 'false' || ssl === '0' || ssl === ''
  const isRequired =
    ['sslrootcert', 'sslcert', 'sslkey'].some((name) => given.has(name)) ||
    given.get('sslnegotiation') === 'direct'
  return isOff && !isRequired ? 'disable' : 'verify-full'
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

/** libpq does not encrypt connections over a Unix socket. */
function isSocket(connectionString: string): boolean {
  const { hostname, searchParams } = new URL(connectionString)
  const host = searchParams.get('host') || hostname
  return host.startsWith('/') || /^%2f/i.test(host)
}

/** An unencoded `&` cuts a `password` in two, and the rest looks like a name. So with a password, parameters are named by position. */
function ignoredOf(names: readonly string[]): string[] {
  const mayBeSecret = names.includes('password')
  return names.flatMap((name, i) => {
    if (ENCRYPTION_PARAMETERS.includes(name) || DRIVER_PARAMETERS.includes(name)) return []
    return [mayBeSecret ? `the parameter at place ${i + 1}` : name]
  })
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Whether libpq would make a second attempt: the server does not encrypt, or requires encryption, or refuses it. */
export const isRefusedEncryption = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ? error.code === '28000' : isTlsError(error)

function isTlsError(error: unknown): boolean {
  const { message = '', code = '' } = error as { message?: string; code?: string }
  return / SSL connection/.test(message) || /^ERR_(?:SSL|TLS)|CERT|SIGNATURE/.test(code)
}

/** A connection outside the pools, without statement timeouts. The caller ends it. */
export async function connectTo(
  connectionString: string,
  options: Pick<pg.ClientConfig, 'application_name' | 'query_timeout'>,
): Promise<pg.Client> {
  const { config, fallback } = addressOf(connectionString)
  const all = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true, ...options, ...config }
  const client = await connected(all).catch((error) => {
    if (fallback === null || !isRefusedEncryption(error)) throw error
    return connected({ ...all, ssl: fallback })
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
  // Statements in progress report a broken connection. Without a listener the event would end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}
