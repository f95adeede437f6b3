import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { sharedService } from '../support/shared.ts'
import { lastDays } from '../support/source/contracts.ts'

const service = await sharedService()

describe('the time zone of an account (§4.11)', () => {
  test('is UTC at first; it and the currency can be changed separately, and both change the ETag', async () => {
    const account = await service.newAccount()
    const settings = ({ body }: Awaited<ReturnType<typeof account.get>>) => [body.currency, body.time_zone]
    const first = await account.get('/v1/me')
    assert.deepEqual(settings(first), [null, 'UTC'])
    const zoned = await account.patch('/v1/me', { time_zone: 'Asia/Kathmandu' })
    assert.deepEqual(settings(zoned), [null, 'Asia/Kathmandu'])
    const tag = first.headers.get('etag') ?? ''
    assert.notEqual(zoned.headers.get('etag'), tag)
    const late = await account.patch('/v1/me', { time_zone: 'Europe/Berlin' }, { 'If-Match': tag })
    assertError(late, 412, 'PRECONDITION_FAILED')
    assert.deepEqual(settings(await account.patch('/v1/me', { currency: 'EUR' })), ['EUR', 'Asia/Kathmandu'])
    const both = { currency: null, time_zone: 'America/St_Johns' }
    assert.deepEqual(settings(await account.patch('/v1/me', both)), [null, 'America/St_Johns'])
  })

  test('is UTC for an account that a server of an older version creates', async () => {
    const insert =
      "INSERT INTO users (id, email, name, created_at) VALUES (gen_random_uuid(), 'old@example.com', NULL, now())"
    assert.deepEqual(await service.sql(`${insert} RETURNING time_zone`), [{ time_zone: 'UTC' }])
  })

  for (const [given, kept] of [
    ['europe/berlin', 'Europe/Berlin'],
    ['utc', 'UTC'],
    ['GB-EIRE', 'GB-Eire'],
    // Of two names of one zone the account keeps the one that it was given.
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['Etc/GMT+12', 'Etc/GMT+12'],
  ] as const) {
    test(`${given} is taken as ${kept}`, async () => {
      const account = await service.newAccount()
      const { status, body } = await account.patch('/v1/me', { time_zone: given })
      assert.deepEqual([status, body.time_zone], [200, kept])
    })
  }

  for (const name of [
    '',
    '+02:00',
    '-03:30',
    'UTC+2',
    'XYZ-3',
    'Nowhere',
    'localtime',
    'posixrules',
    '日本',
    `Etc/${'x'.repeat(100)}`,
    "UTC';--",
    'PST',
    'SystemV/EST5',
  ]) {
    test(`${JSON.stringify(name)} answers 400`, async () => {
      const account = await service.newAccount()
      assertError(await account.patch('/v1/me', { time_zone: name }), 400, 'VALIDATION_ERROR', 'time_zone')
      assert.equal((await account.get('/v1/me')).body.time_zone, 'UTC')
    })
  }

  test('null and an empty body answer 400', async () => {
    assertError(await service.api.patch('/v1/me', { time_zone: null }), 400, 'VALIDATION_ERROR', 'time_zone')
    assertError(await service.api.patch('/v1/me', {}), 400, 'VALIDATION_ERROR')
  })

  test('sets the days of the overview, unless the request names another time zone (§4.8)', async () => {
    const account = await service.newAccount()
    const zoneOf = async (query = '') => (await account.get(`/v1/overview${query}`)).body.time_zone
    assert.equal(await zoneOf(), 'UTC')
    await account.patch('/v1/me', { time_zone: 'Asia/Kathmandu' })
    assert.equal(await zoneOf(), 'Asia/Kathmandu')
    assert.equal(await zoneOf('?time_zone=America/St_Johns'), 'America/St_Johns')
  })

  // 26 hours apart: one of them at least has another day than UTC.
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
    test(`names exports by its day, whose columns stay in UTC (§4.1) (${zone})`, async () => {
      const account = await service.newAccount()
      await account.patch('/v1/me', { time_zone: zone })
      const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format()
      for (const kind of ['claims', 'candidates']) {
        const before = today()
        const { headers } = await account.get(`/v1/${kind}/export`)
        const names = [before, today()].map((day) => `attachment; filename="${kind}-${day}.csv"`)
        assert.ok(names.includes(headers.get('content-disposition') ?? ''), `${names}`)
      }
    })
  }

  test('that the runtime no longer knows, after a move to another machine, is reported and can be replaced', async () => {
    const account = await service.newAccount()
    const { id } = (await account.get('/v1/me')).body
    await service.sql("UPDATE users SET time_zone = 'Moon/Tranquility' WHERE id = $1", [id])
    assertError(await account.get('/v1/overview'), 400, 'VALIDATION_ERROR', 'time_zone')
    assert.equal((await account.get('/v1/overview?time_zone=UTC')).status, 200)
    const { headers } = await account.get('/v1/claims/export')
    assert.match(headers.get('content-disposition') ?? '', /"claims-\d{4}-\d\d-\d\d\.csv"/)
    assert.equal((await account.patch('/v1/me', { time_zone: 'UTC' })).status, 200)
    assert.equal((await account.get('/v1/overview')).status, 200)
  })
})

test('days begin by the rules of the time zone database, also when clocks change (§4.8)', async () => {
  // Of which both know the same rules.
  for (const zone of [
    'Europe/Berlin',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Africa/Cairo',
    'America/Havana',
    'Australia/Lord_Howe',
  ]) {
    const days = await service.sql(DAYS_OF_DATABASE, [zone])
    assert.equal(days.length, 1_500)
    assert.deepEqual(lastDays(new Date('2028-01-01T12:00Z'), zone, 1_500), days)
  }
})

/** Up to the first of 2028. */
const DAYS_OF_DATABASE = `
  SELECT to_char(day, 'YYYY-MM-DD') AS day, (
    SELECT min(t) FROM generate_series(day AT TIME ZONE $1 - interval '2 hours', day AT TIME ZONE $1 + interval '2 hours',
      interval '15 minutes') AS t
    WHERE (t AT TIME ZONE $1)::date >= day::date
  ) AS start
  FROM generate_series(timestamp '2028-01-01' - 1499 * interval '1 day', '2028-01-01', interval '1 day') AS day
  ORDER BY day`
