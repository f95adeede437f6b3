import Holidays from 'date-holidays'
import { type PublicHoliday, publicHolidays } from '../../../src/core/calendars/public-holidays.ts'

/* Loaded when it is needed: the rules of all countries have more than a megabyte. */

export interface Place {
  country: string
  /** Empty for the whole country. */
  state: string
  /** Empty for the whole state. */
  region: string
}

const LANGUAGE = 'en'
const library = new Holidays()

type Names = readonly (readonly [code: string, name: string])[]

export const countries = (): Names => namesOf(library.getCountries(LANGUAGE))
export const statesOf = ({ country }: Place): Names => namesOf(library.getStates(country, LANGUAGE))
export const regionsOf = ({ country, state }: Place): Names =>
  state ? namesOf(library.getRegions(country, state, LANGUAGE)) : []

const namesOf = (names: Record<string, string> | undefined): Names =>
  Object.entries(names ?? {}).sort(([, a], [, b]) => a.localeCompare(b))

/** The public holidays of the years. */
export function holidaysOf(
  { country, state, region }: Place,
  fromYear: number,
  toYear: number,
): PublicHoliday[] {
  const rules = new Holidays({ country, ...(state && { state }), ...(region && { region }) })
  const years = Array.from({ length: toYear - fromYear + 1 }, (_, i) => fromYear + i)
  return publicHolidays(years.flatMap((year) => rules.getHolidays(year)))
}
