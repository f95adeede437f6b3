import { edit, type Mutant } from './mutant.ts'

/** Who may see and do what: owners, tokens, aliases. */
export const OF_ACCOUNTS: readonly Mutant[] = [
  {
    name: 'a claim is read without a look at its owner',
    edits: [
      edit(
        'storage/claims/claims.ts',
        'WHERE id = $1 AND user_id = $2 AND',
        'WHERE id = $1 AND $2::uuid IS NOT NULL AND',
      ),
      edit(
        'storage/claims/claim-log.ts',
        'WHERE c.id = $1 AND c.user_id = $2 AND',
        'WHERE c.id = $1 AND $2::uuid IS NOT NULL AND',
      ),
      edit('storage/claims/claim-log.ts', 'AND c.user_id = owner AND', 'AND owner IS NOT NULL AND'),
    ],
  },
  {
    name: 'an event is taken without a look at the owner',
    edits: [
      edit('app/submission/claim-draft.ts', 'if (claim.userId !== userId || !isAt', 'if (!userId || !isAt'),
    ],
  },
  {
    name: 'a customer is renamed without a look at the owner',
    edits: [
      edit(
        'storage/customers.ts',
        'FROM customers WHERE user_id = $1 AND id = $2 FOR NO KEY UPDATE',
        'FROM customers WHERE $1::uuid IS NOT NULL AND id = $2 FOR NO KEY UPDATE',
      ),
      edit(
        'storage/customers.ts',
        'metadata = $4::jsonb WHERE user_id = $1 AND id = $2',
        'metadata = $4::jsonb WHERE $1::uuid IS NOT NULL AND id = $2',
      ),
    ],
  },
  {
    name: 'a customer is found without a look at the owner',
    edits: [
      edit(
        'storage/customers.ts',
        'AS named (asking, user_id, id)\n      JOIN customers USING (user_id, id)',
        'AS named (asking, owner, id)\n      JOIN customers USING (id)',
      ),
    ],
  },
  {
    name: 'a clock is held without a look at the owner',
    edits: [
      edit(
        'storage/test-clocks.ts',
        'FROM test_clocks WHERE user_id = $1 AND id = $2 FOR UPDATE',
        'FROM test_clocks WHERE $1::uuid IS NOT NULL AND id = $2 FOR UPDATE',
      ),
    ],
  },
  {
    name: 'a list of customers is of all accounts',
    edits: [
      edit(
        'storage/customer-list.ts',
        ".where('user_id', '=', userId)\n      .where('external_id'",
        ".where('user_id', '>=', '00000000-0000-0000-0000-000000000000')\n      .where('external_id'",
      ),
    ],
  },
  {
    name: 'a schema is found without a look at the owner',
    edits: [
      edit(
        'storage/claim-schemas.ts',
        'FROM claim_schemas WHERE user_id = $1 AND id = $2`',
        'FROM claim_schemas WHERE $1::uuid IS NOT NULL AND id = $2`',
      ),
    ],
    by: 'fuzz',
  },
  {
    name: 'a token makes and revokes tokens',
    edits: [
      edit('http/identity/authenticate.ts', 'if (sessionId === null) throw', "if (sessionId === '') throw"),
    ],
    by: 'fuzz',
  },
  {
    name: 'a revocation is not heard',
    edits: [
      edit(
        'app/tokens/token-owners.ts',
        'this.#generation++\n    this.#remembered.delete(keyOf(hash))',
        'void hash',
      ),
    ],
  },
  {
    name: 'a revocation is answered before the other servers have heard of it',
    edits: [
      edit(
        'app/tokens/end-token.ts',
        'await waitUntilHeard(db, number, LONGEST_TRUST_MS)',
        'await waitUntilHeard(db, number, 0 * LONGEST_TRUST_MS)',
      ),
    ],
    servers: 3,
    clients: 32,
  },
  {
    name: 'a server that hears of no revocation any more goes on trusting',
    edits: [
      edit(
        'app/tokens/token-owners.ts',
        '(hash) => this.#forget(hash),\n      () => {\n        this.#trustedUntil = 0\n      },',
        '(hash) => this.#forget(hash),\n      () => {},',
      ),
    ],
    faults: 'backends-terminated',
    clients: 32,
  },
  {
    name: 'creations that go together get each other’s answers',
    edits: [
      edit(
        'app/groups/grouped-work.ts',
        'resolve(outcomes[i] as Outcome)',
        'resolve(outcomes.at(-1 - i) as Outcome)',
      ),
    ],
    clients: 32,
  },
  {
    name: 'claims that are stored together share a contract',
    edits: [
      edit(
        'storage/claims/claims.ts',
        'ON given.number = placed.contract',
        'ON given.number = least(placed.contract, 1)',
      ),
    ],
  },
  {
    name: 'a taken alias gets the contract of the next creation',
    edits: [
      edit(
        'storage/claims/claims.ts',
        'ON CONFLICT (id) DO NOTHING',
        'ON CONFLICT (id) DO UPDATE SET contract = excluded.contract',
      ),
    ],
  },
]
