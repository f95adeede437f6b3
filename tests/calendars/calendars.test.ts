import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { assertError } from '../support/assert-error.ts'
import { calendarWith } from '../support/calendars.ts'
import { newCalendar } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'
import { startTestService } from '../support/test-service.ts'

const service = await sharedService()
const { api } = service

const WORK = [['09:00', '17:00']]

describe('201, 200 and 204', () => {
  test('creating a calendar answers 201 with every field (§2.15)', async () => {
    const { status, body, headers } = await api.post('/v1/calendars', {
      name: 'Support Berlin',
      time_zone: 'europe/berlin',
      weekly: {
        saturday: [['22:00', '24:00']],
        monday: [
          ['13:00', '17:00'],
          ['09:00', '12:00'],
        ],
      },
      holidays: ['2026-12-25', '2026-10-31', '2026-12-25'],
      exceptions: { '2027-12-24': [], '2026-12-24': [['09:00', '12:00']] },
    })
    assert.equal(status, 201)
    const [row] = await service.sql('SELECT user_id FROM calendars WHERE id = $1', [body.id])
    assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(
      JSON.stringify(body),
      JSON.stringify({
        id: body.id,
        user_id: row?.user_id,
        version: 1,
        name: 'Support Berlin',
        time_zone: 'Europe/Berlin',
        weekly: {
          monday: [
            ['13:00', '17:00'],
            ['09:00', '12:00'],
          ],
          saturday: [['22:00', '24:00']],
        },
        holidays: ['2026-10-31', '2026-12-25'],
        exceptions: { '2026-12-24': [['09:00', '12:00']], '2027-12-24': [] },
        created_at: body.created_at,
        updated_at: body.created_at,
        deleted_at: null,
      }),
    )
    assert.equal(headers.get('location'), `/v1/calendars/${body.id}`)
    const read = await api.get(headers.get('location') ?? '')
    assert.deepEqual([read.status, JSON.stringify(read.body)], [200, JSON.stringify(body)])
  })

  test('holidays and exceptions may be left out', async () => {
    const { name, time_zone, weekly } = calendarWith()
    const { status, body } = await api.post('/v1/calendars', { name, time_zone, weekly })
    assert.deepEqual([status, body.holidays, body.exceptions], [201, [], {}])
  })

  test('PATCH replaces the given fields, each as a whole, and makes a version (§4.18)', async () => {
    const calendar = await newCalendar(api, { holidays: ['2026-12-25'], exceptions: { '2026-12-24': [] } })
    const path = `/v1/calendars/${calendar.id}`
    const weekly = { sunday: WORK }
    const { status, body } = await api.patch(path, { weekly, holidays: ['2027-01-01'] })
    assert.equal(status, 200)
    const changed = { ...calendar, version: 2, weekly, holidays: ['2027-01-01'], updated_at: body.updated_at }
    assert.deepEqual(body, changed)
    assert.ok(body.updated_at >= calendar.updated_at)
    assert.deepEqual((await api.get(path)).body, body)
    const renamed = await api.patch(path, { name: 'Other', time_zone: 'asia/tokyo', exceptions: {} })
    const { updated_at } = renamed.body
    assert.deepEqual(renamed.body, {
      ...changed,
      version: 3,
      name: 'Other',
      time_zone: 'Asia/Tokyo',
      exceptions: {},
      updated_at,
    })
  })

  test('a change that changes nothing makes no version', async () => {
    const original = await api.post('/v1/calendars', calendarWith({ holidays: ['2026-12-25', '2026-12-26'] }))
    const same = await api.patch(`/v1/calendars/${original.body.id}`, {
      ...calendarWith(),
      holidays: ['2026-12-26', '2026-12-25', '2026-12-26'],
    })
    assert.deepEqual([same.status, same.body], [200, original.body])
    assert.equal(same.headers.get('etag'), original.headers.get('etag'))
  })

  test('DELETE answers 204 and closes the calendar: it is not listed or changed, but it and its versions are read (§2.15 rule 5)', async () => {
    const account = await service.newAccount()
    const calendar = await newCalendar(account)
    const kept = await newCalendar(account)
    const path = `/v1/calendars/${calendar.id}`
    const changed = await account.patch(path, { name: 'Closed' })
    const tag = changed.headers.get('etag') ?? ''
    const deleted = await account.delete(path)
    assert.deepEqual([deleted.status, deleted.body], [204, undefined])
    const read = await account.get(path, { 'If-None-Match': tag })
    assert.match(read.body.deleted_at, /Z$/)
    assert.deepEqual(read.body, { ...changed.body, deleted_at: read.body.deleted_at })
    assert.deepEqual((await account.get('/v1/calendars')).body, { data: [kept] })
    const versions = (await account.get(`${path}/versions`)).body.data
    assert.deepEqual(
      versions.map(({ name }: { name: string }) => name),
      ['Closed', 'Support'],
    )
    assert.equal((await account.get(`${path}/versions/1`)).body.name, 'Support')
    assert.equal((await account.get(`${path}/preview`)).status, 200)
    const refused = await account.patch(path, { name: 'Open' })
    assertError(refused, 404, 'CALENDAR_NOT_FOUND')
    assert.match(refused.body.error.message, /was deleted at .*it can still be read/)
    assertError(await account.delete(path), 404, 'CALENDAR_NOT_FOUND')
  })

  test('UUIDs are taken in upper case', async () => {
    const calendar = await newCalendar(api)
    const path = `/v1/calendars/${calendar.id.toUpperCase()}`
    assert.deepEqual((await api.get(path)).body, calendar)
    assert.equal((await api.patch(path, { name: 'x' })).body.id, calendar.id)
    assert.equal((await api.get(`${path}/versions/1`)).body.calendar_id, calendar.id)
    assert.equal((await api.get(`${path}/preview`)).body.calendar_id, calendar.id)
    assert.equal((await api.delete(path)).status, 204)
  })

  test('the list holds all of the account’s calendars, oldest first, in `data` alone (§4.18)', async () => {
    const account = await service.newAccount()
    assert.deepEqual((await account.get('/v1/calendars')).body, { data: [] })
    const calendars = []
    for (let n = 0; n < 20; n++) calendars.push(await newCalendar(account, { name: `${n}` }))
    assert.deepEqual((await account.get('/v1/calendars')).body, { data: calendars })
  })
})

describe('a calendar keeps its versions (§2.15 rule 4)', () => {
  test('all of them, newest first, with what they were', async () => {
    const calendar = await newCalendar(api, { name: 'One' })
    const path = `/v1/calendars/${calendar.id}`
    for (let n = 2; n <= 12; n++) await api.patch(path, { name: `${n}`, holidays: [`2026-12-${n + 10}`] })
    const { status, body } = await api.get(`${path}/versions`)
    assert.deepEqual([status, Object.keys(body)], [200, ['data']])
    assert.deepEqual(
      body.data.map(
        ({ version, name, holidays: [day] }: { version: number; name: string; holidays: string[] }) => [
          version,
          name,
          day,
        ],
      ),
      [
        ...Array.from({ length: 11 }, (_, i) => [12 - i, `${12 - i}`, `2026-12-${22 - i}`]),
        [1, 'One', undefined],
      ],
    )
    const first = body.data.at(-1)
    const { id: calendar_id, user_id: _, updated_at: __, deleted_at: ___, ...fields } = calendar
    assert.equal(
      JSON.stringify(first),
      JSON.stringify({
        calendar_id,
        version: fields.version,
        name: fields.name,
        time_zone: fields.time_zone,
        weekly: fields.weekly,
        holidays: fields.holidays,
        exceptions: fields.exceptions,
        created_at: fields.created_at,
        made_by: first.made_by,
      }),
    )
    assert.equal(first.made_by.kind, 'token')
    for (const version of body.data)
      assert.deepEqual((await api.get(`${path}/versions/${version.version}`)).body, version)
  })

  test('changes at the same time make one version each', async () => {
    const calendar = await newCalendar(api)
    const path = `/v1/calendars/${calendar.id}`
    const names = Array.from({ length: 20 }, (_, i) => `${i}`)
    await Promise.all(names.map((name) => api.patch(path, { name })))
    const versions = (await api.get(`${path}/versions`)).body.data
    assert.deepEqual(
      versions.map(({ version }: { version: number }) => version),
      Array.from({ length: 21 }, (_, i) => 21 - i),
    )
    const storedNames = versions.map(({ name }: { name: string }) => name)
    assert.deepEqual(storedNames.toSorted(), [...names, 'Support'].toSorted())
  })

  test('a version that never was answers 404, and one that is no number 400', async () => {
    const path = `/v1/calendars/${(await newCalendar(api)).id}`
    assertError(await api.get(`${path}/versions/2`), 404, 'CALENDAR_VERSION_NOT_FOUND')
    assertError(await api.get(`${path}/preview?version=2`), 404, 'CALENDAR_VERSION_NOT_FOUND')
    for (const version of ['0', '-1', '1.5', 'x', '2147483648'])
      assertError(await api.get(`${path}/versions/${version}`), 400, 'VALIDATION_ERROR', 'version')
    assertError(await api.get(`${path}/versions?limit=1`), 400, 'VALIDATION_ERROR', 'limit')
  })
})

describe('400', () => {
  const cases: [what: string, path: string, change: object][] = [
    ['an unknown field', 'title', { title: 'x' }],
    ['an empty name', 'name', { name: '' }],
    ['an unknown time zone', 'time_zone', { time_zone: 'Europe/Nowhere' }],
    ['an offset for a time zone', 'time_zone', { time_zone: '+02:00' }],
    ['an unknown weekday', 'weekly.Monday', { weekly: { Monday: WORK } }],
    ['a time of another form', 'weekly.monday[1][0]', { weekly: { monday: [...WORK, ['9:00', '10:00']] } }],
    ['a span that ends before it starts', 'weekly.friday[0]', { weekly: { friday: [['17:00', '09:00']] } }],
    ['a week of less than an hour', 'weekly', { weekly: { friday: [['09:00', '09:59']] } }],
    ['a holiday that does not exist', 'holidays[1]', { holidays: ['2026-12-25', '2026-02-29'] }],
    ['an exception of another form', 'exceptions.24.12.2026', { exceptions: { '24.12.2026': [] } }],
    [
      'a span of an exception without an end',
      'exceptions.2026-12-24[0]',
      { exceptions: { '2026-12-24': [['09:00']] } },
    ],
    ['null for holidays', 'holidays', { holidays: null }],
  ]
  for (const [what, path, change] of cases) {
    test(`creating or changing a calendar with ${what} answers 400 at ${path} and changes nothing`, async () => {
      const { id } = await newCalendar(api)
      await assertStoresNothing(service, async () => {
        const created = await api.post('/v1/calendars', { ...calendarWith(), ...change })
        assertError(created, 400, 'VALIDATION_ERROR', path)
        assertError(await api.patch(`/v1/calendars/${id}`, change), 400, 'VALIDATION_ERROR', path)
      })
    })
  }

  test('creating one without a name, a time zone or a week, and changing nothing of one, answer 400', async () => {
    const { id } = await newCalendar(api)
    for (const name of ['name', 'time_zone', 'weekly'] as const) {
      const { [name]: _, ...rest } = calendarWith()
      assertError(await api.post('/v1/calendars', rest), 400, 'VALIDATION_ERROR', name)
    }
    assertError(await api.patch(`/v1/calendars/${id}`, {}), 400, 'VALIDATION_ERROR', 'body')
  })

  test('an id that is no UUID answers 400 at id', async () => {
    for (const answer of [
      await api.get('/v1/calendars/x'),
      await api.patch('/v1/calendars/x', { name: 'x' }),
      await api.delete('/v1/calendars/x'),
      await api.get('/v1/calendars/x/preview'),
    ])
      assertError(answer, 400, 'VALIDATION_ERROR', 'id')
  })
})

test('an unknown calendar answers 404 CALENDAR_NOT_FOUND', async () => {
  const path = `/v1/calendars/${randomUUID()}`
  for (const answer of [
    await api.get(path),
    await api.patch(path, { name: 'x' }),
    await api.delete(path),
    await api.get(`${path}/versions`),
    await api.get(`${path}/versions/1`),
    await api.get(`${path}/preview`),
  ])
    assertError(answer, 404, 'CALENDAR_NOT_FOUND')
})

describe('422', () => {
  test('one calendar more than an account may have answers CALENDAR_LIMIT_REACHED; deleted calendars count (§8)', async (t) => {
    const small = await startTestService(t, { databaseUrl: service.databaseUrl, maxCalendars: 2 })
    const first = await newCalendar(small.api)
    await newCalendar(small.api)
    await small.api.delete(`/v1/calendars/${first.id}`)
    await assertStoresNothing(service, async () => {
      assertError(await small.api.post('/v1/calendars', calendarWith()), 422, 'CALENDAR_LIMIT_REACHED')
    })
    await newCalendar(await small.newAccount())
  })

  test('one version more than a calendar may have answers CALENDAR_VERSION_LIMIT_REACHED (§8)', async () => {
    const { id } = await newCalendar(api)
    const path = `/v1/calendars/${id}`
    await service.sql('UPDATE calendars SET version_number = 999 WHERE id = $1', [id])
    assert.equal((await api.patch(path, { name: 'the last' })).body.version, 1_000)
    await assertStoresNothing(service, async () => {
      assertError(await api.patch(path, { name: 'one more' }), 422, 'CALENDAR_VERSION_LIMIT_REACHED')
      assert.equal((await api.patch(path, { name: 'the last' })).status, 200)
    })
    const stale = await api.patch(path, { name: 'one more' }, { 'If-Match': '"before"' })
    assertError(stale, 412, 'PRECONDITION_FAILED')
  })
})
