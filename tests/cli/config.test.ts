import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { MIN_CONNECTIONS } from '../support/source/database.ts'
import { readConfig } from '../support/source/service.ts'

const message = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

describe('settings', () => {
  test('have defaults that need nothing to be set; an empty value counts as not set', () => {
    for (const environment of [{}, { PORT: '', DATABASE_URL: '', LOG_LEVEL: '' }]) {
      assert.deepEqual(readConfig(environment), {
        host: '127.0.0.1',
        port: 8080,
        publicUrl: null,
        databaseUrl: null,
        databasePoolSize: 16,
        workers: 1,
        allowUnsafeDatabase: false,
        distribute: false,
        dataDir: './data',
        bootstrapToken: null,
        rateLimitPerMinute: 0,
        openSignUp: false,
        trustedProxies: null,
        maxSchemas: 10_000,
        maxCalendars: 1_000,
        notificationDays: 30,
        archiveDays: 0,
        archiveDir: null,
        webhookAllowPrivate: false,
        webhookPorts: null,
        webhookKey: null,
        webhookRetries: [5, 30, 120, 600, 3_600, 14_400, 36_000, 72_000, 129_600],
        maxConnections: 2_000,
        metricsPort: null,
        metricsToken: null,
        logLevel: 'info',
        requestLog: null,
        otlpEndpoint: null,
        otlpHeaders: null,
        serviceName: 'claimkeeper',
        traceShare: 0.01,
      })
    }
  })

  test('a wrong value is answered by one line that names the setting and what it must be', () => {
    assert.equal(message({ PORT: 'abc' }), 'PORT must be a whole number from 0 to 65535, not "abc".')
    for (const port of ['-1', '65536', '80.5', '0x50', '1e3', ' 80']) {
      assert.match(message({ PORT: port }), /^PORT must be a whole number/)
    }
    assert.equal(MIN_CONNECTIONS, 12)
    assert.match(message({ DATABASE_POOL_SIZE: '1' }), /^DATABASE_POOL_SIZE must be a whole number from 12 /)
    for (const workers of ['0', '65', 'all']) {
      assert.match(message({ CLAIMKEEPER_WORKERS: workers }), /must be auto, or a whole number from 1 to 64/)
    }
    assert.equal(readConfig({ CLAIMKEEPER_WORKERS: 'auto' }).workers, 'auto')
    assert.match(message({ LOG_LEVEL: 'loud' }), /^LOG_LEVEL must be one of trace, debug, /)
    assert.match(
      message({ PUBLIC_URL: 'claims.example.com' }),
      /^PUBLIC_URL must be a URL that begins with http/,
    )
    assert.match(message({ CLAIMKEEPER_RATE_LIMIT: '-5' }), /^CLAIMKEEPER_RATE_LIMIT must be /)
    assert.match(
      message({ CLAIMKEEPER_OPEN_SIGN_UP: 'yes' }),
      /^CLAIMKEEPER_OPEN_SIGN_UP must be one of true/,
    )
    for (const retries of ['soon', '5,', '-1', '5,,30']) {
      assert.match(message({ CLAIMKEEPER_WEBHOOK_RETRIES: retries }), /numbers of seconds, joined by commas/)
    }
    assert.deepEqual(readConfig({ CLAIMKEEPER_WEBHOOK_PORTS: '81, 444' }).webhookPorts, [81, 444])
    for (const ports of ['0', '1024', '81,', 'smtp', '81;444', '-1', '8.1']) {
      const expected = `CLAIMKEEPER_WEBHOOK_PORTS must be ports from 1 to 1023, joined by commas, not "${ports}".`
      assert.equal(message({ CLAIMKEEPER_WEBHOOK_PORTS: ports }), expected)
    }
    assert.equal(
      message({ CLAIMKEEPER_WEBHOOK_KEY: 'too short' }),
      'CLAIMKEEPER_WEBHOOK_KEY must be 32 characters or more.',
    )
    for (const proxies of [
      'proxy',
      '10.0.0.0/33',
      '10.0.0.1,',
      '::1/129',
      '10.0.0.0/8/8',
      '10.0.0.1 10.0.0.2',
    ]) {
      const said = message({ CLAIMKEEPER_TRUSTED_PROXIES: proxies })
      assert.match(said, /^CLAIMKEEPER_TRUSTED_PROXIES must be IP addresses/, proxies)
    }
    const proxies = '10.0.0.1, 192.168.0.0/16,fd00::/8'
    assert.equal(readConfig({ CLAIMKEEPER_TRUSTED_PROXIES: proxies }).trustedProxies, proxies)
  })

  test('the requests that are logged are none, errors, a share or all', () => {
    const shareOf = (text: string) => readConfig({ CLAIMKEEPER_LOG_REQUESTS: text }).requestLog
    assert.deepEqual(['none', 'errors', '0.01', 'all'].map(shareOf), [null, 0, 0.01, 1])
    for (const wrong of ['some', '1.5', '-1', '0x1'])
      assert.match(
        message({ CLAIMKEEPER_LOG_REQUESTS: wrong }),
        /^CLAIMKEEPER_LOG_REQUESTS must be none, errors/,
      )
  })

  test('headers for the collector are read as OpenTelemetry writes them, and not repeated', () => {
    const { otlpHeaders } = readConfig({ OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b==, tenant=x' })
    assert.deepEqual(otlpHeaders, { 'api-key': 'a b==', tenant: 'x' })
    for (const wrong of ['hunter2', 'a b=hunter2', 'a=%zz hunter2', 'a=hunter2%0d%0ab', 'a=1,,hunter2=2'])
      assert.doesNotMatch(message({ OTEL_EXPORTER_OTLP_HEADERS: wrong }), /hunter2/)
  })

  test('secrets are not repeated in the message', () => {
    assert.equal(
      message({ CLAIMKEEPER_BOOTSTRAP_TOKEN: 'hunter2' }),
      'CLAIMKEEPER_BOOTSTRAP_TOKEN must be ck_ and 43 characters of A-Z a-z 0-9 - _.',
    )
    assert.equal(
      message({ DATABASE_URL: 'mysql://root:hunter2@db/x' }),
      'DATABASE_URL must be a URL that begins with postgres:// or postgresql://.',
    )
  })

  test('a DATABASE_URL whose password seems to end too early is refused, and no piece of it is repeated', () => {
    for (const address of [
      'postgres://ann:hunter2#9@db/x',
      'postgres://ann:22#hunter@db/x',
      'postgres://ann:22/hunter@db/x',
      'postgres://ann:22?hunter@db/x',
      'postgres://ann:22?hunter=2@db/x',
      'postgres://ann:hunter@2/x@db/y',
      'postgres://ann:hunter@2?x@db/y',
      'postgres://db/x?user=ann&password=hunter#2',
      'postgres://ann:hunter%ff2@db/x',
      'postgres://ann:hunter2@db:port/x',
      'postgres://ann:hunter2@/x',
    ]) {
      const said = message({ DATABASE_URL: address })
      assert.match(said, /^DATABASE_URL must be a URL that begins with .* # as %23, % as %25, /, address)
      assert.doesNotMatch(said, /hunter|22|ann/)
    }
  })

  test('a DATABASE_URL with several hosts is refused with that reason', () => {
    for (const address of [
      'postgres://u:hunter2@h1:5432,h2:5432/db',
      'postgres://h1,h2/db',
      'postgres:///db?host=h1,h2',
    ])
      assert.match(
        message({ DATABASE_URL: address }),
        /^DATABASE_URL must be the address of one server\. Several hosts /,
      )
    assert.equal(readConfig({ DATABASE_URL: 'postgres://u:a,b@h/db' }).databaseUrl, 'postgres://u:a,b@h/db')
  })

  test('a DATABASE_URL is used as it is given, with the mode of PGSSLMODE if it has none', () => {
    const read = (DATABASE_URL: string, PGSSLMODE = '') => readConfig({ DATABASE_URL, PGSSLMODE }).databaseUrl
    for (const address of [
      'postgres://ann:hun%23ter@db/x',
      'postgres://ann:100%@db/x',
      'postgres://ann:p@ss@db/x',
      'postgresql://ann@db/x/',
      'postgres://db/x?user=ann@server&password=hunter/',
      'postgres:///x?host=/tmp',
    ])
      assert.equal(read(address), address)
    assert.equal(read('postgres://db/x', 'require'), 'postgres://db/x?sslmode=require')
    assert.equal(read('postgres://db/x?a=b', 'require'), 'postgres://db/x?a=b&sslmode=require')
    for (const own of ['postgres://db/x?sslmode=disable', 'postgres://db/x?a=b&ssl=true'])
      assert.equal(read(own, 'require'), own)
  })

  test('a slash at the end of PUBLIC_URL is dropped', () => {
    assert.equal(
      readConfig({ PUBLIC_URL: 'https://claims.example.com/' }).publicUrl,
      'https://claims.example.com',
    )
  })

  test('an archive needs a folder, and claims are kept at least as long as their notifications', () => {
    const archive = { CLAIMKEEPER_ARCHIVE_DAYS: '30', CLAIMKEEPER_ARCHIVE_DIR: 'archive' }
    assert.deepEqual(readConfig(archive).archiveDir, resolve('archive'))
    assert.match(
      message({ CLAIMKEEPER_ARCHIVE_DAYS: '30' }),
      /^CLAIMKEEPER_ARCHIVE_DAYS requires CLAIMKEEPER_ARCHIVE_DIR, /,
    )
    assert.match(
      message({ ...archive, CLAIMKEEPER_ARCHIVE_DAYS: '29' }),
      /^CLAIMKEEPER_ARCHIVE_DAYS must be 30 or more, not 29: notifications are kept that long /,
    )
    assert.equal(
      message({ ...archive, CLAIMKEEPER_ARCHIVE_DAYS: '1', CLAIMKEEPER_NOTIFICATION_DAYS: '1' }),
      'accepted',
    )
  })
})
