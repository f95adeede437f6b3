import type { Client } from '../../clients/client.ts'
import type { Account, ClockRecord, Customer, SchemaRecord } from '../../clients/records.ts'
import type { Contract } from '../../model/contract.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Random } from '../../random.ts'
import { calendarOf, drawCalendarOf } from '../calendars.ts'
import { drawContract } from '../draw.ts'

/** A claim or candidate to create. */
export interface NewClaim {
  customer: Customer
  contract: Contract
  /** The schema of the contract. */
  schema: SchemaRecord | null
  alias: string | null
  /** Only for a claim. Null for none. */
  reference: string | null
  clock: ClockRecord | null
  /** A field of the metadata. Null for none. */
  team: string | null
  /** Null for none. */
  reminders: number[] | null
  /** To be called with the version of the calendar that the created claim has. */
  observeVersion: (version: number) => void
}

/** Some need escaping in paths or spreadsheets. */
const ALIASES = [
  'alias',
  'alias',
  'alias',
  'Alias ü',
  '=1+2+3',
  '-alias',
  'a,"b";c',
  'a/b?c#%41',
  'two\nlines',
]

/** Some are frequent, and some need escaping in JSON or SQL. */
const TEAMS = ['emea', 'emea', 'emea', 'apac', '{"a":1}', "it's", '%_\\']

export function drawNewClaim(client: Client, account: Account, isCandidate: boolean): NewClaim {
  const { random, world } = client
  const clock = random.chance(0.35) ? client.pickClock(account) : null
  return {
    clock,
    customer: random.pick(account.customers),
    ...underContract(
      account,
      drawContract(random, clock !== null, { drawCalendar: drawCalendarOf(random, account) }),
    ),
    team: random.chance(0.5) ? random.pick(TEAMS) : null,
    reminders: random.chance(0.4) ? drawReminders(random) : null,
    schema: null,
    reference: !isCandidate && random.chance(0.3) ? drawReference(client, account) : null,
    alias: isCandidate ? world.nextName(`${random.pick(ALIASES)}-${account.name}`) : null,
  }
}

/** Call it before the request is sent: the claim gets the version that the calendar has then, or a later one. */
export function underContract(
  account: Account,
  contract: Contract,
): Pick<NewClaim, 'contract' | 'observeVersion'> {
  const observeVersion = calendarOf(account, contract)?.version.read() ?? (() => {})
  return { contract, observeVersion }
}

/** Includes small values, which are reached soon in long windows. Whole thousandths, because of `reachedAt`. */
const REMINDERS = [0.9, 0.001, 0.5, 0.01, 0.25, 0.999]

const drawReminders = (random: Random): number[] => REMINDERS.filter(() => random.chance(0.4))

const drawReference = ({ random, world }: Client, { userId }: Account): string =>
  world.references.take(userId, random, () => world.nextName(`${random.pick(ALIASES)} no.`))

export function bodyOf(newClaim: NewClaim): JsonObject {
  const { customer, contract, schema, alias, reference, clock, team, reminders } = newClaim
  const by: JsonObject = clock === null ? {} : { test_clock_id: clock.id }
  const whose: JsonObject =
    alias === null
      ? { customer_id: customer.id, ...(reference === null ? {} : { reference }) }
      : { candidate_alias: alias, customer_uuid: customer.externalId }
  const terms: JsonObject = schema
    ? { schema_id: schema.id }
    : { contract: contract as unknown as JsonObject }
  const rest = {
    ...(team === null ? {} : { metadata: { team } }),
    ...(reminders === null ? {} : { reminders }),
  }
  return { ...whose, ...by, ...terms, ...rest }
}
