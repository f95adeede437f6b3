import type { Claim } from '../../domain/claims/claim.ts'
import type { Customer, Versioned } from '../../domain/records.ts'
import { findContracts } from '../../storage/claim-schemas.ts'
import { claimIdOf } from '../../storage/claims/candidate-id.ts'
import { insertClaims, type NewClaim, prepareContracts } from '../../storage/claims/claims.ts'
import {
  findCustomers,
  findCustomersByExternalId,
  insertCustomers,
  type NewCustomer,
} from '../../storage/customers.ts'
import type { AskedNames } from '../../storage/database/asked-names.ts'
import type { Connection } from '../../storage/database/connection.ts'
import type { Database } from '../../storage/database/database.ts'
import { THE_SERVICE } from '../../storage/database/lending/places.ts'
import { GroupedByMachine } from '../groups/grouped-by-machine.ts'
import { GroupedWork, type GroupKind } from '../groups/grouped-work.ts'
import type { Part } from '../part.ts'

/** Customers that one statement looks for; those that one adds, which are all answered in one go. */
const CUSTOMERS = 1_000
const NEW_CUSTOMERS = 100
/** Of contracts of new claims. */
const CHARACTERS = 256 * 1024
/** Each claim counts as so many more: what was added together is answered in one go. */
const CLAIM_CHARACTERS = 2 * 1024
/** Schemas whose contracts one statement reads: two megabytes at most. */
const SCHEMAS = 32

type Work<Item, Outcome> = Pick<GroupedWork<Item, Outcome>, 'do'>

/** What creations look up and add. */
export interface Creations extends Part {
  readonly customers: Work<AskedNames, Customer[]>
  readonly customersByExternalId: Work<AskedNames, Customer[]>
  readonly newCustomers: Work<NewCustomer, Versioned<Customer> | null>
  /** Live ones; those on test clocks go by themselves, since they may have to wait for their clock. */
  readonly newClaims: Work<readonly NewClaim[], (Claim | null)[]>
  /** On distributed tables, of claims that are to be stored: they need all machines, and claims only one. */
  readonly newContracts: Work<readonly NewClaim[], boolean[]>
  /** See `findContracts`. */
  findContracts(userId: string, ids: readonly string[]): Promise<Map<string, string | null>>
}

/** Each kind together with that of others who come at the same time. */
export class CreationGroups implements Creations {
  readonly customers: GroupedWork<AskedNames, Customer[]>
  readonly customersByExternalId: GroupedWork<AskedNames, Customer[]>
  readonly newCustomers: GroupedWork<NewCustomer, Versioned<Customer> | null>
  readonly newClaims: GroupedByMachine<readonly NewClaim[], (Claim | null)[]>
  readonly newContracts: GroupedWork<readonly NewClaim[], boolean[]>
  readonly #contracts: GroupedWork<AskedNames, Map<string, string | null>>
  readonly #reads: Database['reads']

  constructor(database: Database) {
    const { reads, writes } = database
    this.#reads = reads
    const [reading, writing] = [reads.for(THE_SERVICE), writes.for(THE_SERVICE)]
    const countOf = ({ names }: AskedNames) => names.length
    const looked = { db: reading, room: CUSTOMERS, weight: countOf }
    this.customers = new GroupedWork({ ...looked, run: findCustomers })
    this.customersByExternalId = new GroupedWork({ ...looked, run: findCustomersByExternalId })
    this.#contracts = new GroupedWork({ ...looked, run: findContracts, room: SCHEMAS })
    this.newCustomers = new GroupedWork({
      db: writing,
      run: insertCustomers,
      room: NEW_CUSTOMERS,
      weight: () => 1,
    })
    this.newContracts = new GroupedWork({
      db: writing,
      run: prepareSets,
      room: CHARACTERS,
      weight: charactersOf,
    })
    this.newClaims = new GroupedByMachine(database, {
      db: writing,
      run: insertSets,
      room: CHARACTERS,
      weight: charactersOf,
      // They come of one shard each: see `openClaims`.
      claimIdOf: ([first]) => claimIdOf((first as NewClaim).address),
    })
  }

  /** Of many schemas they are read for this account alone: that may take long. */
  async findContracts(userId: string, ids: readonly string[]): Promise<Map<string, string | null>> {
    const asked = { userId, names: ids }
    if (ids.length <= SCHEMAS) return this.#contracts.do(userId, asked)
    const [found] = await findContracts(this.#reads.for(userId), [asked])
    return found as Map<string, string | null>
  }

  async stop(): Promise<void> {
    await Promise.all(
      [
        this.customers,
        this.customersByExternalId,
        this.#contracts,
        this.newCustomers,
        this.newContracts,
        this.newClaims,
      ].map((work) => work.stop()),
    )
  }
}

/** Each for itself and at once, by this connection: in its transaction. */
export function creationsWithin(db: Connection): Creations {
  const alone = <Item, Outcome>(run: GroupKind<Item, Outcome>['run']): Work<Item, Outcome> => ({
    do: async (_userId, item) => (await run(db, [item]))[0] as Outcome,
  })
  return {
    customers: alone(findCustomers),
    customersByExternalId: alone(findCustomersByExternalId),
    newCustomers: alone(insertCustomers),
    newContracts: alone(prepareSets),
    newClaims: alone(insertSets),
    findContracts: (userId, names) => alone(findContracts).do(userId, { userId, names }),
    stop: async () => {},
  }
}

const prepareSets = (db: Connection, sets: readonly (readonly NewClaim[])[]) =>
  setBySet(sets, (claims) => prepareContracts(db, claims))

const insertSets = (db: Connection, sets: readonly (readonly NewClaim[])[]) =>
  setBySet(sets, (claims) => insertClaims(db, claims))

/** What comes of each of the sets, of all of which something is done together. */
async function setBySet<Item, Outcome>(
  sets: readonly (readonly Item[])[],
  run: (items: readonly Item[]) => Promise<Outcome[]>,
): Promise<Outcome[][]> {
  const outcomes = await run(sets.flat())
  let from = 0
  return sets.map(({ length }) => {
    from += length
    return outcomes.slice(from - length, from)
  })
}

const charactersOf = (claims: readonly NewClaim[]) =>
  claims.reduce((sum, { contract }) => sum + contract.text.length + CLAIM_CHARACTERS, 0)
