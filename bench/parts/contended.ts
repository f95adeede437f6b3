import type { Bench } from '../bench.ts'
import { compare } from '../comparison.ts'
import type { Measured } from '../measured.ts'
import type { Part } from '../part.ts'
import { loadFreshClaims, submit } from '../submission-run.ts'
import { verifyAcknowledged } from '../verification.ts'

const CONNECTIONS = 64

export const contended: Part = {
  name: 'contended',
  summary: `${CONNECTIONS} connections submitting to few claims, compared with many claims; no acknowledged event may be lost`,
  run: async (bench, report) => {
    const { contendedClaims, warmClaims, contendedRounds: rounds } = bench.sizes
    const verified = { events: 0, refused: 0 }
    const { ratio } = await compare(bench, report, {
      name: `${contendedClaims} claims`,
      yardstickName: `${warmClaims.toLocaleString('en')} claims`,
      rounds,
      service: () => submitToFew(bench, verified),
      yardstick: async () => submit(bench, await runOver(bench)),
    })
    report.figure('contended_vs_single', ratio)
    report.row({
      what: 'acknowledged events found exactly once',
      note: `${verified.events.toLocaleString('en')}, all; ${verified.refused.toLocaleString('en')} requests refused`,
    })
  },
}

/** The tables are as full as in the uncontended run, but only few claims receive events. */
async function submitToFew(bench: Bench, verified: { events: number; refused: number }): Promise<Measured> {
  const run = await runOver(bench)
  const pick = { ...run.pick, claims: bench.sizes.contendedClaims }
  const measured = await submit(bench, { ...run, pick, mayRefuse: true })
  bench.progress.doing('checking that every acknowledged event is stored')
  verified.events += await verifyAcknowledged((await bench.main()).database, pick, measured.result)
  verified.refused += measured.result.refused.length
  return measured
}

async function runOver(bench: Bench) {
  return {
    label: 'contended',
    pick: await loadFreshClaims(bench, bench.sizes.warmClaims),
    connections: CONNECTIONS,
    measureMs: bench.sizes.measureMs,
  }
}
