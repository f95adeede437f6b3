import { resolve } from 'node:path'
import { isToken } from '../accounts/tokens/api-token.ts'
import { OperatorError } from '../kernel/operator-error.ts'
import { MIN_CONNECTIONS } from '../platform/database/limits.ts'
import { DEFAULT_RETRY_SECONDS } from '../webhooks/retry-schedule.ts'
import {
  addresses,
  headersOf,
  oneOf,
  portsBelow1024,
  type Setting,
  secondsList,
  setting,
  share,
  trueOrFalse,
  urlOf,
  wholeNumber,
} from './values.ts'

/** Logs and traces of requests. */
const TELEMETRY_SETTINGS = {
  requestLog: setting({
    name: 'CLAIMKEEPER_LOG_REQUESTS',
    fallback: 'none',
    doc: 'Requests that are logged: `none`; `errors`: failed, refused and aborted requests; a share such as `0.01`: these and 1 % of the others; `all`. See [logs and traces](operating/logs-and-traces.md).',
    parse: (text) => {
      if (text === 'none') return null
      if (text === 'errors') return 0
      if (text === 'all') return 1
      try {
        return share(text)
      } catch {
        throw new Error('none, errors, all, or a share from 0 to 1 such as 0.01')
      }
    },
  }),
  otlpEndpoint: setting({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: null,
    doc: 'Collector of OpenTelemetry to which traces are sent, as JSON by HTTP, such as `http://127.0.0.1:4318`. By default there are none. See [logs and traces](operating/logs-and-traces.md).',
    parse: urlOf('http:', 'https:'),
  }),
  otlpHeaders: setting({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    fallback: null,
    doc: 'Headers for the collector, such as `api-key=secret,tenant=a`; values may be percent-encoded.',
    parse: headersOf,
  }),
  serviceName: setting({
    name: 'OTEL_SERVICE_NAME',
    fallback: 'claimkeeper',
    doc: 'Name of the service in traces.',
    parse: (text) => text,
  }),
  traceShare: setting({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '0.01',
    doc: 'Share of requests without a trace of the caller that are traced, from 0 to 1. In addition, up to ten requests a second with a trace of the caller.',
    parse: share,
  }),
}

/** Workers of one server. */
export const MAX_WORKERS = 64

/** All settings of the service. Only this file reads environment variables. */
export const SETTINGS = {
  host: setting({
    name: 'HOST',
    fallback: '127.0.0.1',
    doc: 'Address to listen on; `0.0.0.0` for all addresses of the machine.',
    parse: (text) => text,
  }),
  port: setting({
    name: 'PORT',
    fallback: '8080',
    doc: 'Port to listen on; 0 picks a free one.',
    parse: wholeNumber(0, 65_535),
  }),
  publicUrl: setting({
    name: 'PUBLIC_URL',
    fallback: null,
    doc: 'Public URL of the service for links in responses, such as `https://claims.example.com`. By default links use the `Host` header of each request, which the caller chooses. See [proxies](operating/proxies.md#public_url).',
    parse: urlOf('http:', 'https:'),
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    fallback: null,
    doc: 'Your own PostgreSQL 15 or newer, such as `postgres://user:password@host:5432/claimkeeper?sslmode=verify-full`. By default an embedded one is started. See [the database](operating/database.md).',
    parse: databaseUrl,
  }),
  databasePoolSize: setting({
    name: 'DATABASE_POOL_SIZE',
    fallback: '16',
    doc: 'Maximum number of database connections of a server, and of each of its workers. Submissions, checks, test clocks and sign-in have 10 of them; the others are for reading and for writing, half each.',
    parse: wholeNumber(MIN_CONNECTIONS, 1_000),
  }),
  workers: setting({
    name: 'CLAIMKEEPER_WORKERS',
    fallback: '1',
    doc: 'Processes that share the port: a number up to 64, or `auto` for the number of cores. One of them runs the scheduled checks. A process that dies is started again.',
    parse: (text) => {
      if (text === 'auto') return text
      try {
        return wholeNumber(1, MAX_WORKERS)(text)
      } catch {
        throw new Error(`auto, or a whole number from 1 to ${MAX_WORKERS}`)
      }
    },
  }),
  allowUnsafeDatabase: setting({
    name: 'CLAIMKEEPER_ALLOW_UNSAFE_DATABASE',
    fallback: 'false',
    doc: 'Whether to start on a PostgreSQL with `fsync`, `full_page_writes` or `synchronous_commit` off, which may lose acknowledged events in a crash unless its storage prevents that: `true` or `false`.',
    parse: trueOrFalse,
  }),
  distribute: setting({
    name: 'CLAIMKEEPER_DISTRIBUTE',
    fallback: 'false',
    doc: 'Whether to distribute the tables at the start; `DATABASE_URL` must name the coordinator of a Citus cluster: `true` or `false`. See [scaling](scaling.md).',
    parse: trueOrFalse,
  }),
  dataDir: setting({
    name: 'CLAIMKEEPER_DATA_DIR',
    fallback: './data',
    doc: 'Folder of the embedded database.',
    parse: (text) => text,
  }),
  bootstrapToken: setting({
    name: 'CLAIMKEEPER_BOOTSTRAP_TOKEN',
    fallback: null,
    doc: 'First token of the first account (`ck_` and 43 characters of A-Z a-z 0-9 - _), created if there is no account yet. By default a random one, shown once.',
    parse: (text) => {
      if (!isToken(text)) throw new Error('ck_ and 43 characters of A-Z a-z 0-9 - _')
      return text
    },
  }),
  rateLimitPerMinute: setting({
    name: 'CLAIMKEEPER_RATE_LIMIT',
    fallback: '0',
    doc: 'Requests and items of batches per account and minute, for each server with all its workers; 0 for no limit.',
    parse: wholeNumber(0, 1_000_000_000),
  }),
  openSignUp: setting({
    name: 'CLAIMKEEPER_OPEN_SIGN_UP',
    fallback: 'false',
    doc: 'Whether people may sign up without an invitation: `true` or `false`.',
    parse: trueOrFalse,
  }),
  trustedProxies: setting({
    name: 'CLAIMKEEPER_TRUSTED_PROXIES',
    fallback: null,
    doc: 'Addresses or networks of your reverse proxies, such as `10.0.0.7,192.168.0.0/16`: their `X-Forwarded-For` gives the caller’s address, for limits per address. By default the header is ignored.',
    parse: addresses,
  }),
  maxSchemas: setting({
    name: 'CLAIMKEEPER_MOST_SCHEMAS',
    fallback: '10000',
    doc: 'Schemas that an account may have.',
    parse: wholeNumber(1, 1_000_000),
  }),
  maxCalendars: setting({
    name: 'CLAIMKEEPER_MOST_CALENDARS',
    fallback: '1000',
    doc: 'Calendars that an account may have, deleted ones counted.',
    parse: wholeNumber(1, 1_000_000),
  }),
  notificationDays: setting({
    name: 'CLAIMKEEPER_NOTIFICATION_DAYS',
    fallback: '30',
    doc: 'Days for which notifications are kept.',
    parse: wholeNumber(1, 3_650),
  }),
  archiveDays: setting({
    name: 'CLAIMKEEPER_ARCHIVE_DAYS',
    fallback: '0',
    doc: 'Days after which resolved claims and candidates are archived, at least CLAIMKEEPER_NOTIFICATION_DAYS; 0 for never. See [the archive](operating/archive.md).',
    parse: wholeNumber(0, 36_500),
  }),
  archiveDir: setting({
    name: 'CLAIMKEEPER_ARCHIVE_DIR',
    fallback: null,
    doc: 'Folder of the archive, which must exist; the same for all servers. Required with CLAIMKEEPER_ARCHIVE_DAYS.',
    parse: (text) => resolve(text),
  }),
  webhookAllowPrivate: setting({
    name: 'CLAIMKEEPER_WEBHOOK_ALLOW_PRIVATE',
    fallback: 'false',
    doc: 'Whether webhooks may use private addresses and http: `true` or `false`. For development: every account can then reach the network of the service.',
    parse: trueOrFalse,
  }),
  webhookPorts: setting({
    name: 'CLAIMKEEPER_WEBHOOK_PORTS',
    fallback: null,
    doc: 'Ports below 1024 that webhooks may use besides 80 and 443, joined by commas, such as `81,444`. By default none, because services such as mail listen there.',
    parse: portsBelow1024,
  }),
  webhookKey: setting({
    name: 'CLAIMKEEPER_WEBHOOK_KEY',
    fallback: null,
    doc: 'Key that encrypts the secrets of webhook endpoints, 32 characters or more; the same for all servers, and never changed. By default the key is in the database: then a copy of the database suffices to sign.',
    parse: (text) => {
      if (text.length < 32) throw new Error('32 characters or more')
      return text
    },
  }),
  webhookRetries: setting({
    name: 'CLAIMKEEPER_WEBHOOK_RETRIES',
    fallback: DEFAULT_RETRY_SECONDS.join(),
    doc: 'Seconds between the attempts of a webhook delivery, joined by commas. After the last attempt the delivery fails.',
    parse: secondsList,
  }),
  metricsPort: setting({
    name: 'METRICS_PORT',
    fallback: null,
    doc: 'Port of HOST that serves `/metrics` to Prometheus without a token; 0 picks a free one, which the log names. See [metrics](metrics.md). By default none.',
    parse: wholeNumber(0, 65_535),
  }),
  metricsToken: setting({
    name: 'CLAIMKEEPER_METRICS_TOKEN',
    fallback: null,
    doc: 'Token (`Authorization: Bearer …`) for `/metrics` on PORT; 32 characters or more. By default PORT does not serve metrics.',
    parse: (text) => {
      if (!/^[\x21-\x7e]{32,}$/.test(text)) throw new Error('32 characters or more, without spaces')
      return text
    },
  }),
  maxConnections: setting({
    name: 'CLAIMKEEPER_MOST_CONNECTIONS',
    fallback: '2000',
    doc: 'Maximum number of connections of a server, and of each of its workers. One address may have half of them, unless it is a trusted proxy. Above the maximum the connection that was idle longest is closed; if none is idle, 503.',
    parse: wholeNumber(10, 1_000_000),
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    fallback: 'info',
    doc: 'Lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. The log goes to standard error, as JSON if that is not a terminal.',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  }),
  ...TELEMETRY_SETTINGS,
}

type Value<S> = S extends Setting<infer T, infer F> ? (F extends string ? T : T | null) : never

export type Config = { -readonly [K in keyof typeof SETTINGS]: Value<(typeof SETTINGS)[K]> }

/** An empty setting counts as not set. @throws OperatorError for the first invalid setting or combination of settings */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const entries = Object.entries(SETTINGS).map(([key, { name, fallback, parse }]) => {
    const text = environment[name] || fallback
    return [key, text === null ? null : read(name, text, parse)]
  })
  const config = Object.fromEntries(entries) as Config
  if (config.databaseUrl !== null) config.databaseUrl = withSslMode(config.databaseUrl, environment[SSL_MODE])
  requireArchive(config)
  return config
}

/** The variable of libpq, used if DATABASE_URL has no sslmode. */
const SSL_MODE = 'PGSSLMODE'

/** Checks the combination of the archive's settings. */
function requireArchive({ archiveDays, archiveDir, notificationDays }: Config): void {
  if (archiveDays === 0) return
  if (archiveDir === null)
    throw new OperatorError('CLAIMKEEPER_ARCHIVE_DAYS requires CLAIMKEEPER_ARCHIVE_DIR, an existing folder.')
  if (archiveDays < notificationDays)
    throw new OperatorError(
      `CLAIMKEEPER_ARCHIVE_DAYS must be ${notificationDays} or more, not ${archiveDays}: notifications are kept that long (CLAIMKEEPER_NOTIFICATION_DAYS) and need their claims.`,
    )
}

/** The variable by which the parent process gives each worker its number. */
export const WORKER_NUMBER = 'CLAIMKEEPER_WORKER_NUMBER'

/** The number of this worker, from 1 on; null if this process is not a worker. */
export const readWorkerNumber = (environment: NodeJS.ProcessEnv = process.env): number | null =>
  Number(environment[WORKER_NUMBER] ?? 0) || null

/** The variable with the token for commands that call a running service. */
export const TOKEN = 'CLAIMKEEPER_TOKEN'

export const readToken = (environment: NodeJS.ProcessEnv = process.env): string | null =>
  environment[TOKEN] || null

/** Settings whose values must not be printed. */
export const SECRETS: readonly string[] = [
  SETTINGS.bootstrapToken.name,
  SETTINGS.databaseUrl.name,
  SETTINGS.webhookKey.name,
  SETTINGS.metricsToken.name,
  SETTINGS.otlpHeaders.name,
  SETTINGS.otlpEndpoint.name,
]

function read(name: string, text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch (error) {
    const given = SECRETS.includes(name) ? '' : `, not ${JSON.stringify(text)}`
    throw new OperatorError(`${name} must be ${(error as Error).message}${given}.`)
  }
}

const PROTOCOL = /^postgres(?:ql)?:\/\//i
const NOT_A_URL = 'a URL that begins with postgres:// or postgresql://'
const NOT_ENCODED = `${NOT_A_URL}, such as postgres://user:password@host:5432/claimkeeper. In the user, the password and the database name, encode # as %23, % as %25, & as %26, / as %2F, ? as %3F and @ as %40`
const SEVERAL_HOSTS =
  'the address of one server. Several hosts are not tried in turn: name a proxy in front of them, or the primary'

/** Authority, path and query. */
const PARTS = /^[^/]*\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/s
/** Parameters whose values may contain an @: users of hosted PostgreSQL are often `user@server`. */
const MAY_HOLD_AT = ['user', 'password', 'application_name', 'options', 'host']

/**
 * The address of a PostgreSQL server, unchanged. Rejects an address whose password seems to contain an unencoded separator: a part of
 * the password would be taken for the host, the port or the database, and be shown.
 */
function databaseUrl(text: string): string {
  if (!PROTOCOL.test(text)) throw new Error(NOT_A_URL)
  if (!isCutShort(text) && hasSeveralHosts(text)) throw new Error(SEVERAL_HOSTS)
  if (!URL.canParse(text) || isCutShort(text) || !isDecodable(new URL(text))) throw new Error(NOT_ENCODED)
  return text
}

/** Adds the `sslmode` of the environment (PGSSLMODE in libpq) if the address has none. */
function withSslMode(address: string, mode: string | undefined): string {
  if (!mode || /[?&]ssl(?:mode)?=/.test(address)) return address
  return `${address}${address.includes('?') ? '&' : '?'}sslmode=${encodeURIComponent(mode)}`
}

function isCutShort(text: string): boolean {
  const [, , path = '', query = '', fragment] = PARTS.exec(text) ?? []
  if (fragment !== undefined || path.includes('@')) return true
  return query.split('&').some((pair) => {
    const [name = '', ...value] = pair.split('=')
    return name.includes('@') || (value.join('=').includes('@') && !MAY_HOLD_AT.includes(name))
  })
}

/** As in libpq: `h1:5432,h2:5432`, or `host=h1,h2`. */
function hasSeveralHosts(text: string): boolean {
  const [, authority = '', , query = ''] = PARTS.exec(text) ?? []
  return authority.slice(authority.lastIndexOf('@') + 1).includes(',') || /(?:^|&)host=[^&]*,/.test(query)
}

/** Whether percent-encoded bytes are UTF-8. A % that is not an escape stays. */
function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    for (const part of [username, password, pathname])
      decodeURIComponent(part.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}
