import type { Bench } from '../bench.ts'
import { analyze, CONTRACT, CONTRACT_FIELD, clearClaims } from '../claims.ts'
import { best, compare } from '../comparison.ts'
import type { CreateRequests } from '../load/plan.ts'
import type { Measured } from '../measured.ts'
import { measurePgbench, measureServer, type Run } from '../measured-run.ts'
import type { Part, PartReport } from '../part.ts'
import { addCustomers, CUSTOMERS } from '../sides/customers.ts'
import { OPEN_LOOP_CONNECTIONS } from '../sizes.ts'
import { creationScript } from '../transactions.ts'

export const creation: Part = {
  name: 'creation',
  summary: 'one claim per request, compared with pgbench; latency at half of the maximum rate',
  run: async (bench, report) => {
    await bench.once('customers', async () => addCustomers((await bench.main()).database))
    const service = await sweep(bench, report, `service, %d connections`, (run) => create(bench, run))
    const yardstick = bench.pgbench
      ? await sweep(bench, report, 'pgbench, %d clients', (run) => createByPgbench(bench, run))
      : null
    const perSecond = await compareWithPgbench(bench, report, { service, yardstick })
    await halfRate(bench, report, perSecond / 2)
    await fromSchema(bench, report, service)
    await withKeys(bench, report, service)
  },
}

/** Returns the number of connections with the highest rate. */
async function sweep(
  bench: Bench,
  report: PartReport,
  name: string,
  measure: (run: Run) => Promise<Measured>,
): Promise<number> {
  const { candidate } = await best(bench.sizes.clients, async (connections) => {
    const measured = await measure({ label: 'creation', connections, measureMs: bench.sizes.sweepMs })
    report.measured(name.replace('%d', `${connections}`), measured)
    return measured
  })
  return candidate
}

async function compareWithPgbench(
  bench: Bench,
  report: PartReport,
  { service, yardstick }: { service: number; yardstick: number | null },
): Promise<number> {
  const run = { label: 'creation', measureMs: bench.sizes.measureMs }
  const { service: measured, ratio } = await compare(bench, report, {
    name: `claims, one a request: service, ${service} connections`,
    yardstickName: `claims, one a transaction: pgbench, ${yardstick} clients`,
    rounds: bench.sizes.rounds,
    service: () => create(bench, { ...run, connections: service }),
    yardstick: yardstick === null ? null : () => createByPgbench(bench, { ...run, connections: yardstick }),
  })
  report.figure('creation_vs_pgbench', ratio)
  report.figure('creations_per_second', measured.perSecond)
  return measured.perSecond
}

async function halfRate(bench: Bench, report: PartReport, rate: number): Promise<void> {
  const run = { label: 'half of the maximum rate', connections: OPEN_LOOP_CONNECTIONS, rate }
  const measured = await create(bench, { ...run, measureMs: bench.sizes.openLoopMs })
  report.measured('half of the maximum rate, open loop', measured)
  report.latencyFigures('creation', 'at_half_rate', measured)
}

/** The contract is looked up in a schema. */
async function fromSchema(bench: Bench, report: PartReport, connections: number): Promise<void> {
  const source = `"schema_id":"${await bench.once('schema', () => addSchema(bench))}"`
  const run = { label: 'creation from a schema', connections, measureMs: bench.sizes.measureMs }
  report.measured('claims from a schema, one a request', await create(bench, run, { source }))
}

/** Each key is stored first: one more statement, batched with other keys. */
async function withKeys(bench: Bench, report: PartReport, connections: number): Promise<void> {
  const run = { label: 'creation with a key', connections, measureMs: bench.sizes.measureMs }
  const { ratio } = await compare(bench, report, {
    name: 'claims with an Idempotency-Key, one a request',
    yardstickName: 'claims without a key',
    rounds: bench.sizes.rounds,
    service: () => create(bench, run, { keyed: true }),
    yardstick: () => create(bench, run),
  })
  report.figure('creation_keyed_vs_plain', ratio)
}

async function create(bench: Bench, run: Run, given: Partial<CreateRequests> = {}): Promise<Measured> {
  await emptyTables(bench)
  const requests = { kind: 'create', customers: CUSTOMERS, source: CONTRACT_FIELD, ...given } as const
  return measureServer(bench, { ...run, requests })
}

async function createByPgbench(bench: Bench, run: Run): Promise<Measured> {
  await emptyTables(bench)
  const { database } = await bench.main()
  return measurePgbench(bench, { ...run, script: creationScript(database, CUSTOMERS) })
}

async function emptyTables(bench: Bench): Promise<void> {
  const { database } = await bench.main()
  await clearClaims(database)
  await analyze(database)
  await (await bench.cluster()).checkpoint()
}

async function addSchema(bench: Bench): Promise<string> {
  const { database } = await bench.main()
  const { rows } = await database.sql.query(
    `INSERT INTO claim_schemas (user_id, id, contract, created_at, updated_at)
     VALUES ($1, gen_random_uuid(), $2, now(), now()) RETURNING id`,
    [database.userId, JSON.stringify(CONTRACT)],
  )
  return rows[0].id
}
