import assert from 'node:assert/strict'
import type { Answer } from '../support/api-client.ts'
import type { Testbed } from './testbed.ts'

/** The result for the caller: done, refused with nothing stored, or unknown. */
type Fate = 'done' | 'refused' | 'unknown'

/** @throws if no fault of the database may cause this response */
export function fateOf({ status, body }: Pick<Answer, 'status' | 'body'>): Fate {
  if (status >= 200 && status < 300) return 'done'
  const error = body?.error
  if (error?.code === 'CLAIM_NOT_OPEN') return 'refused'
  assert.ok(status === 503 || status === 500, `answered ${status}: ${JSON.stringify(body)}`)
  return status === 503 && /not known/.test(error.message) ? 'unknown' : 'refused'
}

/** The responses to all requests, to compare with the stored records. Each event is submitted once, and each claim created once. */
export class History {
  readonly #testbed: Testbed
  readonly #events = new Map<string, { claimId: string; fate: Fate }>()
  /** Claims by price. Each claim has a unique price. */
  readonly #claims = new Map<number, Fate>()
  readonly #wrong: string[] = []

  constructor(testbed: Testbed) {
    this.#testbed = testbed
  }

  noteEvent(claimId: string, id: string, answer: Pick<Answer, 'status' | 'body'>): void {
    if (answer.status === 200) this.#wrong.push(`${id}: sent once, and answered as a repeat`)
    this.#events.set(id, { claimId, fate: fateOf(answer) })
  }

  noteClaim(price: number, answer: Pick<Answer, 'status' | 'body'>): void {
    this.#claims.set(price, fateOf(answer))
  }

  /** Acknowledged: stored once. Refused: not stored. Unknown: stored at most once, and once after it was sent again. */
  async verify(): Promise<void> {
    this.#compareEvents(await this.#storedEvents())
    await this.#sendAgain()
    this.#compareEvents(await this.#storedEvents())
    await this.#compareClaims()
    await this.#lookForGaps()
    assert.deepEqual(this.#wrong, [])
  }

  async #storedEvents(): Promise<Map<string, number>> {
    const rows = await this.#testbed.service.sql(
      'SELECT id, count(*)::int FROM claim_events WHERE id = ANY ($1) GROUP BY id',
      [[...this.#events.keys()]],
    )
    return new Map(rows.map(({ id, count }) => [String(id), Number(count)]))
  }

  #compareEvents(stored: ReadonlyMap<string, number>): void {
    for (const [id, { fate }] of this.#events) this.#compare(`event ${id}`, fate, stored.get(id) ?? 0)
  }

  #compare(what: string, fate: Fate, count: number): void {
    const isRight = { done: count === 1, refused: count === 0, unknown: count <= 1 }[fate]
    if (!isRight) this.#wrong.push(`${what}: ${fate}, and ${count} times stored`)
  }

  /** Submits the events with an unknown outcome again. A stored event is answered as a repeat. */
  async #sendAgain(): Promise<void> {
    for (const [id, { claimId, fate }] of this.#events) {
      if (fate !== 'unknown') continue
      const answer = await this.#testbed.service.api.post('/v1/events', eventOf(claimId, id))
      assert.ok(answer.status < 500, `${id}: sent again, and answered ${answer.status}`)
      this.#events.set(id, { claimId, fate: fateOf(answer) })
    }
  }

  async #compareClaims(): Promise<void> {
    const rows = await this.#testbed.service.sql(
      'SELECT price::float8, count(*)::int FROM claims WHERE price = ANY ($1) GROUP BY price',
      [[...this.#claims.keys()]],
    )
    const stored = new Map(rows.map(({ price, count }) => [Number(price), Number(count)]))
    for (const [price, fate] of this.#claims)
      this.#compare(`claim of price ${price}`, fate, stored.get(price) ?? 0)
  }

  /** The version of each claim is the length of its log, and the numbers in the log have no gaps. */
  async #lookForGaps(): Promise<void> {
    const ids = new Set([...this.#events.values()].map(({ claimId }) => claimId))
    const rows = await this.#testbed.service.sql(
      `SELECT c.id FROM claims c LEFT JOIN LATERAL (
         SELECT count(*), coalesce(max(seq), 0) AS last FROM claim_events WHERE claim_id = c.id
       ) log ON true
       WHERE c.id = ANY ($1) AND (c.event_count <> log.count OR c.event_count <> log.last)`,
      [[...ids]],
    )
    for (const { id } of rows) this.#wrong.push(`claim ${id}: its version is not the length of its log`)
  }
}

export const eventOf = (claimId: string, id: string) => ({ claim_id: claimId, id, type: 'other', value: 1 })
