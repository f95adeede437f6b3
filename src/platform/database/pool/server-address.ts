import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import { OperatorError } from '../../../kernel/operator-error.ts'
import { setUpSession } from '../connection-settings.ts'
import { CONNECT_TIMEOUT_MS } from '../limits.ts'

/** How a connection is encrypted. False: it is not encrypted. */
type Encryption = boolean | ConnectionOptions

/** The address of a PostgreSQL server as settings of the driver. */
export interface ServerAddress {
  /** The URL is without SSL parameters: the driver gives `sslmode` another meaning than libpq. */
  config: Pick<pg.ClientConfig, 'connectionString' | 'ssl'>
  /** The encryption of a second attempt if the server refuses the first; null for no second attempt. */
  fallback: Encryption | null
  /** Names of parameters that have no effect. They contain no part of a password. */
  ignored: string[]
}

/** Parameters that this file interprets. */
const SSL_PARAMETERS = [
  'ssl',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'uselibpqcompat',
]
/** Parameters that the driver interprets. */
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
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
/** In these modes a connection without encryption is allowed. */
const UNENFORCED_MODES = ['disable', 'allow', 'prefer']

/**
 * Parses DATABASE_URL, and reads the files of certificates and keys that it names.
 * @throws OperatorError for parameters that libpq refuses too
 */
export function parseServerAddress(connectionString: string): ServerAddress {
  const [base = '', query = ''] = splitOnce(connectionString, '?')
  const parameters = query
    .split('&')
    .filter((text) => text !== '')
    .map((text) => {
      const [name, value] = [...new URLSearchParams(text)][0] ?? ['', '']
      return { name, value, text, isSslParameter: SSL_PARAMETERS.includes(name) }
    })
  const sslParameters = new Map(
    parameters.filter(({ isSslParameter }) => isSslParameter).map(({ name, value }) => [name, value]),
  )
  const others = parameters.filter(({ isSslParameter }) => !isSslParameter).map(({ text }) => text)
  const [first, fallback = null] = isSocket(connectionString) ? NOT_ENCRYPTED : attemptsOf(sslParameters)
  const negotiation = sslParameters.get('sslnegotiation')
  return {
    config: {
      connectionString: others.length > 0 ? `${base}?${others.join('&')}` : base,
      ssl: first,
      // The driver reads this parameter, but its types lack it.
      ...(negotiation === undefined ? {} : { sslnegotiation: negotiation }),
    },
    fallback,
    ignored: ignoredOf(parameters.map(({ name }) => name)),
  }
}

/** The encryption of the first attempt to connect, and of a second attempt if libpq makes one. */
type Attempts = readonly [first: Encryption, fallback?: Encryption]
const NOT_ENCRYPTED: Attempts = [false]

function attemptsOf(sslParameters: ReadonlyMap<string, string>): Attempts {
  const mode = sslModeOf(sslParameters)
  const rootcert = sslParameters.get('sslrootcert')
  if (rootcert === 'system' && mode !== 'verify-full')
    throw invalidUrl('sslrootcert=system needs sslmode=verify-full')
  if (sslParameters.get('sslnegotiation') === 'direct' && UNENFORCED_MODES.includes(mode))
    throw invalidUrl('sslnegotiation=direct needs sslmode=require, verify-ca or verify-full')
  const files = {
    ...(rootcert === undefined || rootcert === 'system'
      ? {}
      : { ca: readFileOf('sslrootcert', sslParameters) }),
    ...(sslParameters.has('sslcert') ? { cert: readFileOf('sslcert', sslParameters) } : {}),
    ...(sslParameters.has('sslkey') ? { key: readFileOf('sslkey', sslParameters) } : {}),
  }
  const anyHostName = { checkServerIdentity: () => undefined }
  // As in libpq: with a root certificate, every mode requires a server certificate that it has signed.
  const encrypted =
    mode !== 'no-verify' && 'ca' in files
      ? { ...files, ...anyHostName }
      : { ...files, rejectUnauthorized: false }
  if (mode === 'disable') return NOT_ENCRYPTED
  if (mode === 'allow') return [false, encrypted]
  if (mode === 'prefer') return [encrypted, false]
  if (mode === 'verify-ca') return [{ ...files, ...anyHostName }]
  return mode === 'verify-full' ? [files] : [encrypted]
}

/** Without `sslmode` the mode is `disable`, or `verify-full` if another parameter requires encryption, as in the driver. */
function sslModeOf(sslParameters: ReadonlyMap<string, string>): string {
  const mode = sslParameters.get('sslmode')
  if (mode !== undefined && !SSL_MODES.includes(mode))
    throw invalidUrl(`sslmode must be one of ${SSL_MODES.join(', ')}, also in PGSSLMODE`)
  if (mode !== undefined) return mode
  const ssl = sslParameters.get('ssl')
  if (ssl === 'no-verify') return ssl
  const isOff = ssl === undefined || ssl === 'false' || ssl === '0' || ssl === ''
  const isRequired =
    ['sslrootcert', 'sslcert', 'sslkey'].some((name) => sslParameters.has(name)) ||
    sslParameters.get('sslnegotiation') === 'direct'
  return isOff && !isRequired ? 'disable' : 'verify-full'
}

function readFileOf(name: string, sslParameters: ReadonlyMap<string, string>): string {
  const path = sslParameters.get(name) as string
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw invalidUrl(`${name} names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

const invalidUrl = (reason: string) => new OperatorError(`DATABASE_URL: ${reason}.`)

/** libpq does not encrypt connections over a Unix socket. */
function isSocket(connectionString: string): boolean {
  const { hostname, searchParams } = new URL(connectionString)
  const host = searchParams.get('host') || hostname
  return host.startsWith('/') || /^%2f/i.test(host)
}

/**
 * If the URL has the parameter `password`, unknown parameters are reported by position: after an unencoded `&`, the rest of the
 * password looks like the name of a parameter.
 */
function ignoredOf(names: readonly string[]): string[] {
  const mayBeSecret = names.includes('password')
  return names.flatMap((name, i) => {
    if (SSL_PARAMETERS.includes(name) || DRIVER_PARAMETERS.includes(name)) return []
    return [mayBeSecret ? `the parameter at position ${i + 1}` : name]
  })
}

function splitOnce(text: string, by: string): [string, string] {
  const index = text.indexOf(by)
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}

/**
 * Whether libpq would make a second attempt with other encryption: the server does not support encryption, requires encryption, or
 * the TLS handshake failed.
 */
export const isEncryptionError = (error: unknown): boolean =>
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
  const { config, fallback } = parseServerAddress(connectionString)
  const all = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true, ...options, ...config }
  const client = await connect(all).catch((error) => {
    if (fallback === null || !isEncryptionError(error)) throw error
    return connect({ ...all, ssl: fallback })
  })
  try {
    await setUpSession(client, { statementMs: 0, idleTransactionMs: 0 })
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

async function connect(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  // Statements in progress report a broken connection. Without a listener the event would end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}
