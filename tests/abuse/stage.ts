import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { newSession } from '../support/new-session.ts'
import { hashToken, newToken } from '../support/source/accounts.ts'
import type { Metadata } from '../support/source/claims.ts'
import type { Contract } from '../support/source/contracts.ts'
import { storeContract } from '../support/store-contract.ts'
import type { Account } from './attack.ts'

/** One leaf that nothing satisfies: a claim under it stays OPEN. */
export const OPEN_CONTRACT = {
  price: 1,
  activity_window: 31_536_000,
  review_window: 3_600,
  timeout_outcome: 'fail',
  fulfillment_condition: { event: 'never' },
} as const

/** Characters of an event type that make a contract of 250 leaves nearly 64 KiB long. */
const LONG_TYPE = 240
const LEAVES_OF_LARGE = 240

export const LARGE_CONTRACT = {
  ...OPEN_CONTRACT,
  fulfillment_condition: {
    op: 'AND' as const,
    conditions: Array.from({ length: LEAVES_OF_LARGE }, (_, i) => ({
      event: `${i}`.padEnd(LONG_TYPE, 'x'),
    })),
  },
}

/** How many claims to store, and what they share. */
interface Claims {
  count: number
  contract?: Contract
  /** Due at this time; by default in a year. */
  dueAt?: Date
  /** Events of each, all with this payload as JSON. */
  events?: { count: number; type: string; payload: string }
  testClockId?: string
  /** Found by the list alone, not by its pairs. */
  metadata?: Metadata
}

/** Writes to the database behind the service's back what it would take long to make over HTTP. */
export class Stage {
  readonly sql: pg.Client
  readonly url: string
  readonly account: Account
  /** 1 in the benchmark; the suite has less time to prepare. */
  readonly scale: number

  constructor(sql: pg.Client, url: string, account: Account, scale: number) {
    this.sql = sql
    this.url = url
    this.account = account
    this.scale = scale
  }

  /** A number of items, by the scale. */
  many(count: number): number {
    return Math.ceil(count * this.scale)
  }

  /** Stores claims with their logs. Returns the id of the first. */
  async claims({
    count,
    contract = OPEN_CONTRACT,
    dueAt,
    events,
    testClockId,
    metadata,
  }: Claims): Promise<string> {
    const { userId, customerId } = this.account
    const prefix = randomUUID().slice(0, 24)
    const log = events ?? { count: 0, type: '', payload: '{}' }
    await this.sql.query(INSERT_CLAIMS, [
      prefix,
      count,
      userId,
      customerId,
      await storeContract(this.sql, contract),
      contract.price,
      dueAt ?? new Date(Date.now() + 365 * 86_400_000),
      log.count,
      log.count * Buffer.byteLength(log.payload),
      testClockId ?? null,
      metadata ? JSON.stringify(metadata) : null,
    ])
    if (log.count > 0) await this.sql.query(INSERT_EVENTS, [prefix, count, log.count, log.type, log.payload])
    return `${prefix}000000000001`
  }

  /** Of the creation of each claim that the account has. */
  async notifications(): Promise<void> {
    await this.sql.query(
      `INSERT INTO notifications (number, user_id, subject_id, kind, sequence, status_since, due_at, created_at)
       SELECT nextval('notification_numbers'), user_id, id, 'created', 0, created_at, due_at, now()
       FROM claims WHERE user_id = $1`,
      [this.account.userId],
    )
  }

  /** Asks for notifications of each recorded event. */
  async askForEvents(): Promise<void> {
    await this.sql.query('INSERT INTO notification_settings (user_id, event_recorded) VALUES ($1, true)', [
      this.account.userId,
    ])
  }

  /** That wait for a webhook endpoint. */
  async deliveries(endpointId: string, count: number): Promise<void> {
    await this.sql.query(
      `WITH e AS (
         UPDATE webhook_endpoints SET last_number = last_number + $2 WHERE id = $1 RETURNING last_number - $2 AS before
       )
       INSERT INTO webhook_deliveries (endpoint_id, number, notification_id, subject_id, type, created_at, body, bytes, hash,
         previous_hash, next_attempt_at)
       SELECT $1, before + n, gen_random_uuid(), gen_random_uuid(), 'claim.created', now(), '{}', 2, repeat('a', 64),
         repeat('b', 64), now()
       FROM e, generate_series(1, $2::int) n`,
      [endpointId, count],
    )
  }

  async schemas(count: number): Promise<void> {
    await this.sql.query(
      `INSERT INTO claim_schemas (user_id, id, contract, created_at, updated_at)
       SELECT $1, gen_random_uuid(), $2, now(), now() FROM generate_series(1, $3::int)`,
      [this.account.userId, JSON.stringify(LARGE_CONTRACT), count],
    )
  }

  /** Tokens that nobody knows. Returns their ids. */
  async tokens(count: number, { areRevoked = false } = {}): Promise<string[]> {
    const { rows } = await this.sql.query<{ id: string }>(
      `INSERT INTO api_tokens (id, user_id, name, token_hash, created_at, revoked_at)
       SELECT gen_random_uuid(), $1, 'one of many', sha256($2 || n::text::bytea), now(), CASE WHEN $4 THEN now() END
       FROM generate_series(1, $3::int) n RETURNING id`,
      [this.account.userId, randomBytes(16), count, areRevoked],
    )
    return rows.map(({ id }) => id)
  }

  /** Signs the account in, as tokens and invitations need. Returns the header Cookie, which `bySession` sends. */
  async signIn(): Promise<{ cookie: string }> {
    const runQuery = async (text: string, values?: unknown[]) => (await this.sql.query(text, values)).rows
    const { name, value } = await newSession(runQuery, this.account.userId)
    return { cookie: `${name}=${value}` }
  }

  /** The body of the answer; what is refused here is a fault of the attack. */
  async post(path: string, body: object): Promise<Record<string, string>> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.account.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Record<string, string>
  }
}

const INSERT_CLAIMS = `
  INSERT INTO claims (id, user_id, customer_id, contract_hash, price, status, status_since, due_at,
    event_count, log_bytes, test_clock_id, created_at, metadata)
  SELECT ($1 || lpad(to_hex(n), 12, '0'))::uuid, $3, $4, $5, $6, 'OPEN', made, $7, $8, $9, $10, made, $11::jsonb
  FROM generate_series(1, $2::int) n, (SELECT date_trunc('milliseconds', now()) - interval '1 minute' AS made) time`

const INSERT_EVENTS = `
  INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
  SELECT ($1 || lpad(to_hex(n), 12, '0'))::uuid, seq, 'first-' || seq, $4, $5, false,
    date_trunc('milliseconds', now()) - interval '30 seconds'
  FROM generate_series(1, $2::int) n, generate_series(1, $3::int) seq`

/** A new account with a token and a customer, made behind the service's back. */
export async function addAccount(sql: pg.Client, name: string): Promise<Account> {
  const [userId, customerId, token] = [randomUUID(), randomUUID(), newToken()]
  await sql.query('INSERT INTO users (id, email, created_at) VALUES ($1, $2, now())', [
    userId,
    `${name}-${userId}@localhost`,
  ])
  await sql.query(
    `INSERT INTO api_tokens (id, user_id, name, token_hash, created_at) VALUES (gen_random_uuid(), $1, $2, $3, now())`,
    [userId, name, hashToken(token)],
  )
  await sql.query('INSERT INTO customers (user_id, id, external_id, created_at) VALUES ($1, $2, $3, now())', [
    userId,
    customerId,
    userId,
  ])
  return { userId, token, customerId }
}
