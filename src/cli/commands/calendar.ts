import { text } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import { type Calendar, normalizeHours } from '../../core/calendars/calendar.ts'
import { type PublicHoliday, publicHolidays } from '../../core/calendars/public-holidays.ts'
import { validateCalendar } from '../../core/calendars/validate-calendar.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { inputName, openInput } from '../../platform/terminal/input-file.ts'
import { print, printJson } from '../../platform/terminal/output.ts'
import { formatTable } from '../../platform/terminal/table.ts'
import { MAX_HOLIDAY_YEARS } from '../limits.ts'

interface HolidayRegion {
  country: string
  state?: string
  region?: string
}

type HolidayOptions = HolidayRegion & { years: number[] }

export function addCalendarCommand(program: Command): void {
  const calendar = program.command('calendar').description('public holidays for calendars')

  withHolidayOptions(calendar.command('holidays'))
    .description('print the public holidays of a country, a state or a region')
    .option('--json', 'as JSON')
    .action(async ({ json, ...options }: HolidayOptions & { json?: true }) => {
      const holidays = await computeHolidays(options)
      if (json) return printJson(holidays)
      await print(
        formatTable(
          ['DATE', 'NAME'],
          holidays.map(({ date, name }) => [date, name]),
        ),
      )
    })

  withHolidayOptions(calendar.command('fill'))
    .description('print a calendar, the body of POST /v1/calendars, with public holidays added')
    .argument('<file>', 'the calendar as JSON; - for standard input')
    .action(async (file: string, options: HolidayOptions) => {
      const found = await readCalendar(file)
      const added = (await computeHolidays(options)).map(({ date }) => date)
      await printJson(normalizeHours({ ...found, holidays: [...(found.holidays ?? []), ...added] }))
    })
}

const withHolidayOptions = (command: Command): Command =>
  command
    .requiredOption('--country <code>', 'such as DE (ISO 3166)', (code) => code.toUpperCase())
    .option('--state <code>', 'such as BE for Berlin', (code) => code.toUpperCase())
    .option('--region <code>', 'a part of the state', (code) => code.toUpperCase())
    .requiredOption('--years <years>', 'a year, or the first and the last, such as 2026-2028', parseYears)

function parseYears(text: string): number[] {
  const found = /^(\d{4})(?:-(\d{4}))?$/.exec(text)
  const [first, last] = [Number(found?.[1]), Number(found?.[2] ?? found?.[1])]
  if (!(first >= 1970 && last <= 2999 && first <= last))
    throw new InvalidArgumentError('It must be a year or a range of years, such as 2026-2028.')
  if (last - first >= MAX_HOLIDAY_YEARS)
    throw new InvalidArgumentError(`It must have at most ${MAX_HOLIDAY_YEARS} years.`)
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

async function computeHolidays({ country, state, region, years }: HolidayOptions): Promise<PublicHoliday[]> {
  // Loaded on demand: the rules of all countries take more than a megabyte.
  const { default: Holidays } = await import('date-holidays')
  const known = new Holidays()
  requireCode('--country', country, known.getCountries('en'))
  if (state !== undefined) requireCode('--state', state, known.getStates(country, 'en'))
  if (region !== undefined) requireCode('--region', region, known.getRegions(country, state ?? '', 'en'))
  const rules = new Holidays({ country, ...(state && { state }), ...(region && { region }) })
  return publicHolidays(years.flatMap((year) => rules.getHolidays(year)))
}

/** @throws OperatorError that lists the known codes */
function requireCode(option: string, code: string, known: Record<string, string> = {}): void {
  if (Object.hasOwn(known, code)) return
  const codes = Object.entries(known).map(([code, name]) => `${code} (${name})`)
  throw new OperatorError(
    `${option}: ${code} is not known. ${codes.length > 0 ? `Known: ${codes.join(', ')}.` : 'There are none.'}`,
  )
}

type CalendarInput = Omit<Calendar, 'holidays'> & Partial<Calendar>

async function readCalendar(file: string): Promise<CalendarInput> {
  const name = inputName(file)
  const input = await text(openInput(file)).catch((error) => {
    throw new OperatorError(`cannot read ${name}: ${error.message}`)
  })
  let found: unknown
  try {
    found = JSON.parse(input)
  } catch (error) {
    throw new OperatorError(`${name} is not JSON: ${(error as Error).message}`)
  }
  const [issue] = validateCalendar(found)
  if (issue) throw new OperatorError(`${name}: ${issue.path} ${issue.message}.`)
  return found as CalendarInput
}
