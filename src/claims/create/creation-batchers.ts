import { type ContractOfSchema, findContracts } from '../../claim-schemas/claim-schema-store.ts'
import type { ClaimWithMetadata } from '../../core/claims/claim.ts'
import type { Versioned } from '../../core/records.ts'
import type { Customer, CustomerKey } from '../../customers/customer.ts'
import {
  findCustomers,
  findCustomersByExternalId,
  insertCustomers,
  type NewCustomer,
} from '../../customers/customer-store.ts'
import {
  type CreationKey,
  insertOrFindKeys,
  type RequestKey,
} from '../../idempotency/idempotency-key-store.ts'
import { charactersOfMetadata } from '../../kernel/metadata.ts'
import type { Lifecycle } from '../../kernel/start-stop.ts'
import type { Batcher } from '../../platform/concurrency/batcher.ts'
import type { Database } from '../../platform/database/database.ts'
import { SERVICE_ACCOUNT } from '../../platform/database/pool/pooled-connection.ts'
import type { Lookup } from '../../platform/database/sql-array.ts'
import { newClaimBatcher, newStatementBatcher } from '../../platform/database/statement-batcher.ts'
import { claimIdOf } from '../claim-ids.ts'
import { insertClaims, type NewClaim, prepareContracts } from '../insert-claims-store.ts'
import {
  CLAIM_CHARACTERS,
  MAX_CHARACTERS_PER_INSERT,
  MAX_CUSTOMERS_PER_INSERT,
  MAX_CUSTOMERS_PER_LOOKUP,
  MAX_KEYS_PER_INSERT,
  MAX_SCHEMAS_PER_LOOKUP,
} from '../limits.ts'

/** The statements of creations. Requests of all accounts that arrive at the same time share them. */
export class CreationBatchers implements Lifecycle {
  readonly customers: Batcher<Lookup, CustomerKey[]>
  readonly customersByExternalId: Batcher<Lookup, CustomerKey[]>
  readonly newCustomers: Batcher<NewCustomer, Versioned<Customer> | null>
  /** Claims without a test clock. Claims on a test clock are inserted outside the batches: they may wait for the clock. */
  readonly newClaims: Batcher<readonly NewClaim[], (ClaimWithMetadata | null)[]>
  /** On distributed tables, the contracts of claims that are inserted next: contracts need all machines, claims only one. */
  readonly newContracts: Batcher<readonly NewClaim[], boolean[]>
  readonly keys: Batcher<RequestKey, CreationKey | null>
  readonly #contracts: Batcher<Lookup, Map<string, ContractOfSchema>>
  readonly #reads: Database['reads']
  readonly #all: Lifecycle[]

  constructor(database: Database) {
    const { reads, writes } = database
    this.#reads = reads
    const [reading, writing] = [reads.for(SERVICE_ACCOUNT), writes.for(SERVICE_ACCOUNT)]
    const options = {
      db: reading,
      maxWeight: MAX_CUSTOMERS_PER_LOOKUP,
      weightOf: ({ names }: Lookup) => names.length,
    }
    this.customers = newStatementBatcher({ ...options, run: findCustomers })
    this.customersByExternalId = newStatementBatcher({ ...options, run: findCustomersByExternalId })
    this.#contracts = newStatementBatcher({
      ...options,
      run: findContracts,
      maxWeight: MAX_SCHEMAS_PER_LOOKUP,
    })
    const newCustomers = newStatementBatcher({
      db: writing,
      run: insertCustomers,
      maxWeight: MAX_CUSTOMERS_PER_INSERT,
      weightOf: () => 1,
    })
    this.newCustomers = newCustomers
    this.keys = newStatementBatcher({
      db: writing,
      run: insertOrFindKeys,
      maxWeight: MAX_KEYS_PER_INSERT,
      weightOf: () => 1,
    })
    const insert = { db: writing, maxWeight: MAX_CHARACTERS_PER_INSERT, weightOf: charactersOf }
    this.newContracts = newStatementBatcher({
      ...insert,
      run: (db, sets) => runSets(sets, (claims) => prepareContracts(db, claims)),
    })
    this.newClaims = newClaimBatcher(database, {
      ...insert,
      run: (db, sets) => runSets(sets, (claims) => insertClaims(db, claims)),
      // All claims of a set are on one machine: see `createClaimsOrCandidates`.
      claimIdOf: ([first]) => claimIdOf((first as NewClaim).address),
    })
    this.#all = [
      this.customers,
      this.customersByExternalId,
      this.#contracts,
      newCustomers,
      this.newContracts,
      this.keys,
      this.newClaims,
    ]
  }

  /** Contracts of many schemas are read for the account alone, because that may take long. */
  async findContracts(userId: string, ids: readonly string[]): Promise<Map<string, ContractOfSchema>> {
    const lookup = { userId, names: ids }
    if (ids.length <= MAX_SCHEMAS_PER_LOOKUP) return this.#contracts.submit(userId, lookup)
    const [found] = await findContracts(this.#reads.for(userId), [lookup])
    return found as Map<string, ContractOfSchema>
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((batcher) => batcher.stop()))
  }
}

/** Runs all items of the sets together. Returns the results of each set. */
async function runSets<Item, Result>(
  sets: readonly (readonly Item[])[],
  run: (items: readonly Item[]) => Promise<Result[]>,
): Promise<Result[][]> {
  const results = await run(sets.flat())
  let end = 0
  return sets.map(({ length }) => {
    end += length
    return results.slice(end - length, end)
  })
}

const charactersOf = (claims: readonly NewClaim[]) =>
  claims.reduce(
    (sum, { contract, metadata }) =>
      sum + contract.text.length + charactersOfMetadata(metadata) + CLAIM_CHARACTERS,
    0,
  )
