import { edit, editWithin, type Mutant } from './mutant.ts'

/** Who may see and do what: owners, tokens, aliases. */
export const OF_ACCOUNTS: readonly Mutant[] = [
  {
    name: 'a claim is read without a look at its owner',
    edits: [
      editWithin(
        'findClaim',
        'WHERE id = $1 AND user_id = $2 AND',
        'WHERE id = $1 AND $2::uuid IS NOT NULL AND',
      ),
      edit('WHERE c.id = $1 AND c.user_id = $2 AND', 'WHERE c.id = $1 AND $2::uuid IS NOT NULL AND'),
      edit('AND c.user_id = owner AND', 'AND owner IS NOT NULL AND'),
    ],
  },
  {
    name: 'an event is taken without a look at the owner',
    edits: [edit('if (claim.userId !== userId || !isAt', 'if (!userId || !isAt')],
  },
  {
    name: 'a customer is renamed without a look at the owner',
    edits: [
      edit(
        'FROM customers WHERE user_id = $1 AND id = $2 FOR NO KEY UPDATE',
        'FROM customers WHERE $1::uuid IS NOT NULL AND id = $2 FOR NO KEY UPDATE',
      ),
      edit(
        'metadata = $4::jsonb WHERE user_id = $1 AND id = $2',
        'metadata = $4::jsonb WHERE $1::uuid IS NOT NULL AND id = $2',
      ),
    ],
  },
  {
    name: 'a customer is found without a look at the owner',
    edits: [
      edit(
        'AS named (asking, user_id, id)\n      JOIN customers USING (user_id, id)',
        'AS named (asking, owner, id)\n      JOIN customers USING (id)',
      ),
    ],
  },
  {
    name: 'a clock is held without a look at the owner',
    edits: [
      edit(
        'FROM test_clocks WHERE user_id = $1 AND id = $2 FOR UPDATE',
        'FROM test_clocks WHERE $1::uuid IS NOT NULL AND id = $2 FOR UPDATE',
      ),
    ],
  },
  {
    name: 'a list of customers is of all accounts',
    edits: [
      edit(
        ".where('user_id', '=', userId)\n      .where('external_id'",
        ".where('user_id', '>=', '00000000-0000-0000-0000-000000000000')\n      .where('external_id'",
      ),
    ],
  },
  {
    name: 'a schema is found without a look at the owner',
    edits: [
      edit(
        'FROM claim_schemas WHERE user_id = $1 AND id = $2`',
        'FROM claim_schemas WHERE $1::uuid IS NOT NULL AND id = $2`',
      ),
    ],
    by: 'fuzz',
  },
  {
    name: 'idempotency keys are read across accounts',
    edits: [
      edit(
        'SELECT digest, status, headers, body, is_sealed FROM idempotency_keys\n      WHERE user_id = $1 AND key = $2 AND',
        'SELECT digest, status, headers, body, is_sealed FROM idempotency_keys\n      WHERE $1::uuid IS NOT NULL AND key = $2 AND',
      ),
    ],
  },
  {
    name: 'the claims of a key have the same ids in every account',
    edits: [edit("decode(digest, 'hex'), gen_random_uuid()", "decode(digest, 'hex'), md5(key)::uuid")],
  },
  {
    name: 'idempotency keys that begin together are distinguished without their owner',
    edits: [
      edit(
        "scopedKey = ({ userId, key }: Pick<RequestKey, 'userId' | 'key'>) =>",
        "scopedKey = ({ key }: Pick<RequestKey, 'userId' | 'key'>, userId = '') =>",
      ),
    ],
    clients: 32,
  },
  {
    name: 'a reference names the same claim in every account',
    edits: [
      edit(
        'idOfReference = (userId: string, reference: string)',
        "idOfReference = (_owner: string, reference: string, userId = '')",
      ),
    ],
  },
  {
    name: 'a customer is found by its own id without its owner',
    edits: [
      edit(
        'AS named (asking, user_id, external_id)\n      JOIN customers USING (user_id, external_id)',
        'AS named (asking, owner, external_id)\n      JOIN customers USING (external_id)',
      ),
    ],
  },
  {
    name: 'a token makes and revokes tokens',
    edits: [edit('if (sessionId === null) throw', "if (sessionId === '') throw")],
    by: 'fuzz',
  },
  {
    name: 'a revocation is not heard',
    edits: [edit('this.#generation++\n    this.#cache.delete(keyOf(hash))', 'void hash')],
  },
  {
    name: 'a revocation is answered before the other servers have heard of it',
    edits: [
      edit(
        'await waitUntilAcknowledged(db, number, TOKEN_CACHE_TRUST_MS)',
        'await waitUntilAcknowledged(db, number, 0 * TOKEN_CACHE_TRUST_MS)',
      ),
    ],
    servers: 3,
    clients: 32,
  },
  {
    name: 'a server that hears of no revocation any more goes on trusting',
    edits: [
      edit(
        '(hash) => this.#forget(hash),\n      () => {\n        this.#trustedUntil = 0\n      },',
        '(hash) => this.#forget(hash),\n      () => {},',
      ),
    ],
    faults: 'backends-terminated',
    clients: 32,
  },
  {
    name: 'creations that go together get each other’s answers',
    edits: [edit('const outcome = outcomes[index++]', 'const outcome = outcomes.at(-1 - index++)')],
    clients: 32,
  },
  {
    name: 'claims that are stored together share a contract',
    edits: [edit('ON given.hash = placed.hash', 'ON given.hash = (SELECT hash FROM placed LIMIT 1)')],
  },
  {
    name: 'a taken alias gets the contract of the next creation',
    edits: [
      editWithin(
        'insertFrom',
        'ON CONFLICT (id) DO NOTHING',
        'ON CONFLICT (id) DO UPDATE SET contract = excluded.contract',
      ),
    ],
  },
]

/** Invitations, sessions, and the tokens that are made in them. */
export const OF_PEOPLE: readonly Mutant[] = [
  {
    name: 'an invitation that was used just now is taken once more',
    edits: [
      edit(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in the source
        'WHERE key_hash = $1 AND ${IS_OPEN} RETURNING',
        'WHERE key_hash = $1 AND revoked_at IS NULL RETURNING',
      ),
    ],
  },
  {
    name: 'an invitation that was withdrawn still opens an account',
    edits: [
      edit(
        "'used_at IS NULL AND revoked_at IS NULL AND expires_at > clock_timestamp()'",
        "'used_at IS NULL AND expires_at > clock_timestamp()'",
      ),
    ],
  },
  {
    name: 'of the sessions that end together, one leaves its tokens behind',
    edits: [edit('await deleteSessions(connection))', '(await deleteSessions(connection)).slice(1))')],
  },
  {
    name: 'a token is trusted for a minute after its end',
    edits: [
      edit(
        '(1000 * extract(epoch FROM expires_at - clock_timestamp()))::float8',
        '(60000 + 1000 * extract(epoch FROM expires_at - clock_timestamp()))::float8',
      ),
    ],
  },
]
