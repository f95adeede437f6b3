import { type Client, outcomeOf, parse } from '../clients/client.ts'
import type { Account, CalendarRecord } from '../clients/records.ts'
import type { Contract } from '../model/contract.ts'
import { assert } from '../model/finding.ts'
import { type JsonObject, same } from '../model/json.ts'
import { MonotonicRegister } from '../model/monotonic-register.ts'
import {
  type Spans,
  WEEKDAYS,
  type WorkingHours,
  weekdayOf,
  weekOf,
  workingTime,
} from '../model/working-time.ts'
import type { Random } from '../random.ts'
import type { DrawCalendar } from './draw.ts'

/** Each hour except its last three minutes, so that short runs have both working time and other time. */
const MOSTLY_OPEN_HOURS: Spans = Array.from({ length: 24 }, (_, i) => {
  const hour = String(i).padStart(2, '0')
  return [`${hour}:00`, `${hour}:57`] as const
})

/** Few, because the model computes each minute. Test clocks and simulations reach the dates. */
const HOURS: readonly WorkingHours[] = [
  {
    time_zone: 'Europe/Berlin',
    weekly: weekOf(
      [
        ['08:00', '12:00'],
        ['12:30', '17:45'],
      ],
      WEEKDAYS.slice(0, 5),
    ),
    holidays: ['2020-02-28', '2020-03-02', '2030-02-01', '2032-01-01'],
    exceptions: { '2020-03-29': [['01:15', '04:00']], '2031-12-31': [['00:00', '24:00']] },
  },
  { time_zone: 'UTC', weekly: weekOf(MOSTLY_OPEN_HOURS), holidays: ['2030-01-31'], exceptions: {} },
  {
    time_zone: 'Australia/Lord_Howe',
    weekly: weekOf([
      ['00:00', '05:07'],
      ['09:00', '13:00'],
      ['12:00', '24:00'],
    ]),
    holidays: ['2020-04-05', '2030-02-03', '2032-01-02'],
    exceptions: { '2020-02-29': [], '2020-04-05': [['01:30', '02:45']], '2032-01-01': [['07:30', '08:00']] },
  },
  {
    time_zone: 'Asia/Kathmandu',
    weekly: { ...weekOf([['06:15', '21:00']]), saturday: [] },
    holidays: ['2020-03-01', '2032-01-01'],
    exceptions: {},
  },
]

/** Below the limit of an account. Deleted calendars count. */
const MAX_CALENDARS = 12

export async function createCalendar(client: Client, account: Account): Promise<void> {
  if (account.calendars.length >= MAX_CALENDARS) return readCalendar(client, account)
  client.world.count('create calendar')
  const hours = client.random.pick(HOURS)
  const body = JSON.stringify({ name: nameOf(1), ...hours })
  const reply = await client.send(account, { method: 'POST', path: '/v1/calendars', body })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  assert(
    reply.status === 201,
    () => `a calendar's creation was answered ${reply.status}`,
    () => reply,
  )
  const shown = parse(reply.text)
  const id = shown.id as string
  const calendar: CalendarRecord = {
    id,
    path: `/v1/calendars/${id}`,
    version: new MonotonicRegister(`the version of the calendar ${id}`, 1),
    versions: [hours],
    isDeleted: false,
    isDeletionAcknowledged: false,
    isBusy: false,
  }
  assertVersion(calendar, shown, shown.version as number)
  account.calendars.push(calendar)
}

/** The calendar that the contract names. */
export function calendarOf({ calendars }: Account, { clock }: Contract): CalendarRecord | null {
  const id = clock?.calendar?.id
  return id === undefined ? null : (calendars.find((calendar) => calendar.id === id) as CalendarRecord)
}

/** The working time that the contract of a claim names. */
export function hoursOf(account: Account, contract: Contract): WorkingHours | null {
  const version = contract.clock?.calendar?.version
  return calendarOf(account, contract)?.versions[(version ?? 1) - 1] ?? null
}

/** @param versionShare the share of contracts that name the version */
export const drawCalendarOf =
  (random: Random, { calendars }: Account, versionShare = 0.3): DrawCalendar =>
  () => {
    const usable = calendars.filter(({ isDeleted }) => !isDeleted)
    if (usable.length === 0) return null
    const { id, version } = random.pick(usable)
    return random.chance(versionShare) ? { id, version: random.int(1, version.lowerBound) } : { id }
  }

const nameOf = (version: number) => `version ${version}`

/** §2.15 rule 4: a version never changes. */
function assertVersion({ id, versions }: CalendarRecord, shown: JsonObject, version: number): void {
  const { name, time_zone, weekly, holidays, exceptions } = shown
  const hours = versions[version - 1] as WorkingHours
  assert(
    same(
      { name, time_zone, weekly, holidays, exceptions } as JsonObject,
      {
        name: nameOf(version),
        ...hours,
      } as unknown as JsonObject,
    ),
    () => `version ${version} of the calendar ${id} differs from what was sent`,
    () => ({ shown, hours }),
  )
}

/** Replaces or deletes a calendar. Claims keep its version. */
export async function changeCalendar(client: Client, account: Account): Promise<void> {
  const { random } = client
  const usable = account.calendars.filter(({ isBusy, isDeleted }) => !isBusy && !isDeleted)
  if (usable.length < 2) return createCalendar(client, account)
  const calendar = random.pick(usable)
  calendar.isBusy = true
  await (random.chance(0.2) ? deleteCalendar : replaceCalendar)(client, account, calendar)
}

async function replaceCalendar(client: Client, account: Account, calendar: CalendarRecord): Promise<void> {
  client.world.count('change calendar')
  const { versions, path } = calendar
  const { value, done } = calendar.version.write(calendar.version.lowerBound + 1)
  const hours = client.random.pick(HOURS)
  versions[value - 1] = hours
  const body = JSON.stringify({ name: nameOf(value), ...hours })
  const reply = await client.send(account, { method: 'PATCH', path, body })
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') return
  calendar.isBusy = false
  if (reply.kind !== 'answer' || outcome !== 'done') return
  const shown = parse(reply.text)
  assert(shown.version === value, () => `the change of ${path} made version ${shown.version}, not ${value}`)
  assertVersion(calendar, shown, value)
  done()
}

async function deleteCalendar(client: Client, account: Account, calendar: CalendarRecord): Promise<void> {
  client.world.count('delete calendar')
  calendar.isDeleted = true
  const reply = await client.send(account, { method: 'DELETE', path: calendar.path })
  const outcome = outcomeOf(reply)
  calendar.isDeletionAcknowledged = outcome === 'done'
  if (outcome !== 'refused') return
  calendar.isDeleted = false
  calendar.isBusy = false
}

/** Deleted calendars are read too: their versions are never removed. */
export async function readCalendar(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  if (account.calendars.length === 0) return
  const calendar = random.pick(account.calendars)
  if (random.chance(0.5)) return previewCalendar(client, account, calendar)
  world.count('read calendar')
  const observe = calendar.version.read()
  const isVersion = random.chance(0.5)
  const version = random.int(1, calendar.version.lowerBound)
  const path = isVersion ? `${calendar.path}/versions/${version}` : calendar.path
  const reply = await client.send(account, { method: 'GET', path })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  assert(
    reply.status === 200,
    () => `${path} exists, but reading it answered ${reply.status}`,
    () => reply,
  )
  const shown = parse(reply.text)
  const number = shown.version as number
  if (isVersion) assert(number === version, () => `${path} answered version ${number}`)
  else observe(number)
  assertVersion(calendar, shown, number)
}

const DATES = ['2020-02-28', '2020-03-27', '2030-01-30', '2031-12-30', '2026-10-24']
const MAX_DAYS = 5

async function previewCalendar(client: Client, account: Account, calendar: CalendarRecord): Promise<void> {
  const { random, world } = client
  world.count('preview calendar')
  const from = random.pick(DATES)
  const days = random.int(1, MAX_DAYS)
  const version = random.int(1, calendar.version.lowerBound)
  const path = `${calendar.path}/preview?${new URLSearchParams({ from, days: `${days}`, version: `${version}` })}`
  const reply = await client.send(account, { method: 'GET', path })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const shown = parse(reply.text)
  const hours = calendar.versions[version - 1] as WorkingHours
  const expected = Array.from({ length: days }, (_, i) => previewOfDate(hours, from, i))
  const data = (shown.data as JsonObject[]).map(
    ({ date, weekday, holiday, exception, working_time, seconds }) =>
      ({ date, weekday, holiday, exception, working_time, seconds }) as JsonObject,
  )
  assert(
    reply.status === 200 && same(data, expected),
    () => `${path} shows other working time than the model`,
    () => ({ reply, expected }),
  )
}

const DAY_MS = 86_400_000

/**
 * The preview of the date `days` days after `from`. Each minute of a local date is at most a day and a half from noon in UTC.
 */
function previewOfDate(hours: WorkingHours, from: string, days: number): JsonObject {
  const midnight = Date.parse(from) + days * DAY_MS
  const date = new Date(midnight).toISOString().slice(0, 10)
  const pieces = [...workingTime(hours).pieces(midnight - DAY_MS, midnight + 2 * DAY_MS)].filter(
    (piece) => piece.date === date,
  )
  const ms = pieces.reduce((sum, { from, until }) => sum + until - from, 0)
  return {
    date,
    weekday: weekdayOf(date),
    holiday: hours.holidays.includes(date),
    exception: Object.hasOwn(hours.exceptions, date),
    working_time: pieces.map(({ from, until }) => ({ start: iso(from), end: iso(until) })),
    seconds: ms / 1000,
  }
}

const iso = (at: number) => new Date(at).toISOString()

/** §4.18: the list has each calendar that is not deleted, once. */
export async function listCalendars(client: Client, account: Account): Promise<void> {
  client.world.count('list calendars')
  const before = account.calendars.map((calendar) => ({ calendar, observe: calendar.version.read() }))
  const wasDeleted = new Set(
    account.calendars.filter(({ isDeletionAcknowledged }) => isDeletionAcknowledged).map(({ id }) => id),
  )
  const reply = await client.send(account, { method: 'GET', path: '/v1/calendars' })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const rows = parse(reply.text).data as JsonObject[]
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  const about = () => ({ calendars: account.calendars, rows })
  assert(byId.size === rows.length, () => 'the list of calendars shows a calendar twice', about)
  for (const { user_id, id } of rows) {
    assert(
      user_id === account.userId,
      () => 'the list of calendars shows a calendar of another account',
      about,
    )
    assert(!wasDeleted.has(id as string), () => `the calendar ${id} was deleted, but is listed`, about)
  }
  for (const { calendar, observe } of before) {
    const row = byId.get(calendar.id)
    if (row) observe(row.version as number)
    else assert(calendar.isDeleted, () => `the calendar ${calendar.id} is missing in the list`, about)
  }
}
