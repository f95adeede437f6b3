import { type ContractOfSchema, findContracts } from '../../claim-schemas/claim-schema-store.ts'
import type { NotedClaim } from '../../core/claims/claim.ts'
import type { Versioned } from '../../core/records.ts'
import type { Customer, CustomerKey } from '../../customers/customer.ts'
import {
  findCustomers,
  findCustomersByExternalId,
  insertCustomers,
  type NewCustomer,
} from '../../customers/customer-store.ts'
import { type AskedKey, beginKeys, type CreationKey } from '../../idempotency/idempotency-key-store.ts'
import { charactersOfMetadata } from '../../kernel/metadata.ts'
import type { Part } from '../../kernel/part.ts'
import type { Connection } from '../../platform/database/connection.ts'
import type { Database } from '../../platform/database/database.ts'
import { GroupedByMachine } from '../../platform/database/groups/grouped-by-machine.ts'
import { GroupedWork } from '../../platform/database/groups/grouped-work.ts'
import { SERVICE } from '../../platform/database/pool/pooled-connection.ts'
import type { AskedNames } from '../../platform/database/sql-array.ts'
import { claimIdOf } from '../claim-ids.ts'
import { insertClaims, type NewClaim, prepareContracts } from '../insert-claims-store.ts'

/** Customers that one statement looks for; those that one adds, which are all answered in one go. */
const CUSTOMERS = 1_000
const NEW_CUSTOMERS = 100
/** Idempotency-Keys that one statement begins. */
const KEYS = 100
/** Of contracts of new claims. */
const CHARACTERS = 256 * 1024
/** Each claim counts as so many more: what was added together is answered in one go. */
const CLAIM_CHARACTERS = 2 * 1024
/** Schemas whose contracts one statement reads: two megabytes at most. */
const SCHEMAS = 32

/** What creations look up and add, each kind together with that of others who come at the same time. */
export class CreationGroups implements Part {
  readonly customers: GroupedWork<AskedNames, CustomerKey[]>
  readonly customersByExternalId: GroupedWork<AskedNames, CustomerKey[]>
  readonly newCustomers: Pick<GroupedWork<NewCustomer, Versioned<Customer> | null>, 'do' | 'stop'>
  /** Live ones; those on test clocks go by themselves, since they may have to wait for their clock. */
  readonly newClaims: GroupedByMachine<readonly NewClaim[], (NotedClaim | null)[]>
  /** On distributed tables, of claims that are to be stored: they need all machines, and claims only one. */
  readonly newContracts: GroupedWork<readonly NewClaim[], boolean[]>
  readonly keys: GroupedWork<AskedKey, CreationKey | null>
  readonly #contracts: GroupedWork<AskedNames, Map<string, ContractOfSchema>>
  readonly #reads: Database['reads']

  constructor(database: Database) {
    const { reads, writes } = database
    this.#reads = reads
    const [reading, writing] = [reads.for(SERVICE), writes.for(SERVICE)]
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
    this.keys = new GroupedWork({ db: writing, run: beginKeys, room: KEYS, weight: () => 1 })
    this.newContracts = new GroupedWork({
      db: writing,
      run: (db, sets) => setBySet(sets, (claims) => prepareContracts(db, claims)),
      room: CHARACTERS,
      weight: charactersOf,
    })
    this.newClaims = new GroupedByMachine(database, {
      db: writing,
      run: (db, sets) => setBySet(sets, (claims) => insertClaims(db, claims)),
      room: CHARACTERS,
      weight: charactersOf,
      // They come of one machine each: see `openClaims`.
      claimIdOf: ([first]) => claimIdOf((first as NewClaim).address),
    })
  }

  /** Of many schemas they are read for this account alone: that may take long. */
  async findContracts(userId: string, ids: readonly string[]): Promise<Map<string, ContractOfSchema>> {
    const asked = { userId, names: ids }
    if (ids.length <= SCHEMAS) return this.#contracts.do(userId, asked)
    const [found] = await findContracts(this.#reads.for(userId), [asked])
    return found as Map<string, ContractOfSchema>
  }

  /** The same, but that a new customer is added by this connection: in its transaction, alone and at once. */
  within(connection: Connection): CreationGroups {
    const newCustomers: Pick<CreationGroups['newCustomers'], 'do'> = {
      do: async (_userId, item) => (await insertCustomers(connection, [item]))[0] ?? null,
    }
    return Object.create(this, { newCustomers: { value: newCustomers } })
  }

  async stop(): Promise<void> {
    await Promise.all(
      [
        this.customers,
        this.customersByExternalId,
        this.#contracts,
        this.newCustomers,
        this.newContracts,
        this.keys,
        this.newClaims,
      ].map((work) => work.stop()),
    )
  }
}

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
  claims.reduce(
    (sum, { contract, metadata }) =>
      sum + contract.text.length + charactersOfMetadata(metadata) + CLAIM_CHARACTERS,
    0,
  )
