import { edit, editWithin, type Mutant } from './mutant.ts'

/** Authorization: owners, tokens, aliases. */
export const ACCOUNT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a claim is read without a check of its owner',
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
    name: 'an event is accepted without a check of the owner',
    edits: [edit('if (claim.userId !== userId || !isAt', 'if (!userId || !isAt')],
  },
  {
    name: 'a customer is renamed without a check of the owner',
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
    name: 'a customer is found without a check of the owner',
    edits: [
      edit(
        'AS named (lookup, user_id, id)\n      JOIN customers USING (user_id, id)',
        'AS named (lookup, owner, id)\n      JOIN customers USING (id)',
      ),
    ],
  },
  {
    name: 'a test clock is locked without a check of the owner',
    edits: [
      edit(
        'FROM test_clocks WHERE user_id = $1 AND id = $2 FOR UPDATE',
        'FROM test_clocks WHERE $1::uuid IS NOT NULL AND id = $2 FOR UPDATE',
      ),
    ],
  },
  {
    name: 'a list of customers shows all accounts',
    edits: [
      edit(
        ".where('user_id', '=', userId)\n      .where('external_id'",
        ".where('user_id', '>=', '00000000-0000-0000-0000-000000000000')\n      .where('external_id'",
      ),
    ],
  },
  {
    name: 'a schema is found without a check of the owner',
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
    name: 'claims with the same idempotency key have the same id in every account',
    edits: [edit("decode(digest, 'hex'), gen_random_uuid()", "decode(digest, 'hex'), md5(key)::uuid")],
  },
  {
    name: 'concurrent requests with the same idempotency key are merged across accounts',
    edits: [
      edit(
        "scopedKey = ({ userId, key }: Pick<RequestKey, 'userId' | 'key'>) =>",
        "scopedKey = ({ key }: Pick<RequestKey, 'userId' | 'key'>, userId = '') =>",
      ),
    ],
    clients: 32,
  },
  {
    name: 'a reference finds claims of other accounts',
    edits: [
      edit(
        'idOfReference = (userId: string, reference: string)',
        "idOfReference = (_owner: string, reference: string, userId = '')",
      ),
    ],
  },
  {
    name: 'a customer is found by its external id in any account',
    edits: [
      edit(
        'AS named (lookup, user_id, external_id)\n      JOIN customers USING (user_id, external_id)',
        'AS named (lookup, owner, external_id)\n      JOIN customers USING (external_id)',
      ),
    ],
  },
  {
    name: 'a token can create and revoke tokens',
    edits: [edit('if (sessionId === null) throw', "if (sessionId === '') throw")],
    by: 'fuzz',
  },
  {
    name: 'a server ignores notifications of revoked tokens',
    edits: [edit('this.#generation++\n    this.#cache.delete(keyOf(hash))', 'void hash')],
  },
  {
    name: 'a revocation is answered before the other servers have acknowledged it',
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
    name: 'a server keeps its cached tokens after it loses the connection for revocations',
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
    name: 'creations of one batch get each other’s responses',
    edits: [edit('const outcome = outcomes[index++]', 'const outcome = outcomes.at(-1 - index++)')],
    clients: 32,
  },
  {
    name: 'claims of one batch share a contract',
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

/** Invitations, sessions, and tokens of sessions. */
export const SESSION_MUTANTS: readonly Mutant[] = [
  {
    name: 'an invitation can be used twice',
    edits: [
      edit(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in the source
        'WHERE key_hash = $1 AND ${IS_OPEN} RETURNING',
        'WHERE key_hash = $1 AND revoked_at IS NULL RETURNING',
      ),
    ],
  },
  {
    name: 'a revoked invitation creates an account',
    edits: [
      edit(
        "'used_at IS NULL AND revoked_at IS NULL AND expires_at > clock_timestamp()'",
        "'used_at IS NULL AND expires_at > clock_timestamp()'",
      ),
    ],
  },
  {
    name: 'one of several revoked sessions keeps its tokens',
    edits: [edit('await deleteSessions(connection))', '(await deleteSessions(connection)).slice(1))')],
  },
  {
    name: 'a token is accepted for a minute after its expiry',
    edits: [
      edit(
        '(1000 * extract(epoch FROM expires_at - clock_timestamp()))::float8',
        '(60000 + 1000 * extract(epoch FROM expires_at - clock_timestamp()))::float8',
      ),
    ],
  },
]
