import { Histogram } from '../load/histogram.ts'
import type { Side } from './side.ts'

const REPETITIONS = 200

/** Median latencies of statements on an idle machine, in milliseconds. */
export interface Latencies {
  roundTrip: number
  /** An update of a row on the coordinator, with its commit. */
  commit: number
  /** An update of a claim, with its commit. On Citus it goes through the coordinator. */
  claimCommit: number
}

/** The database must contain a claim. */
export async function latenciesOf({ database: { sql } }: Side): Promise<Latencies> {
  const idOf = async (table: string) => (await sql.query(`SELECT id FROM ${table} LIMIT 1`)).rows[0].id
  const [customer, claim] = [await idOf('customers'), await idOf('claims')]
  return {
    roundTrip: await medianMs(() => sql.query({ name: 'bench_nothing', text: 'SELECT 1' })),
    commit: await medianMs(() =>
      sql.query({
        ...{ name: 'bench_commit', text: 'UPDATE customers SET name = name WHERE id = $1' },
        values: [customer],
      }),
    ),
    claimCommit: await medianMs(() =>
      sql.query({
        ...{ name: 'bench_claim_commit', text: 'UPDATE claims SET price = price WHERE id = $1' },
        values: [claim],
      }),
    ),
  }
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const histogram = new Histogram()
  for (let i = 0; i < REPETITIONS; i++) {
    const startedAt = performance.now()
    await work()
    histogram.record(performance.now() - startedAt)
  }
  return histogram.percentile(50)
}
