import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { Cleanup } from '../../bench/cleanup.ts'
import { ServerProcess } from '../../bench/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { ATTACKS } from './catalogue.ts'
import { MOST_MB_DURING, measureAttack, SPARE_DESCRIPTORS } from './measure-attack.ts'

/*
 * Each attack for a moment, with somebody else submitting: whether it hurts is seen, not how much; the benchmark's
 * part `abuse` measures that. The server runs as `npm start` runs it, because its memory is looked at.
 */

const BUILD = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url))
const MOMENT = { ms: 600, warmupMs: 100, calmMs: 20_000, staysMs: 0, scale: 0.05 }
/** Other tests run at the same time, on a machine that may be slow: this is not the bound that users are told. */
const PATIENCE_MS = 5_000

execFileSync(process.execPath, [BUILD, '--if-stale'])
const cleanup = new Cleanup()
// Before the database goes, which what comes later brings along.
after(() => cleanup.run())
const url = await createTestDatabase({ after })
const sql = new pg.Client({ connectionString: url })
await sql.connect()
cleanup.add(() => sql.end())
const server = await ServerProcess.start({ url }, [], cleanup)
const victim = { url: server.url, pid: server.pid, sql }

for (const attack of ATTACKS.filter(({ duringCheck }) => !duringCheck)) {
  test(`${attack.name}: somebody else does not feel that ${attack.does}`, async () => {
    const damage = await measureAttack(attack, victim, MOMENT)
    assert.ok(damage.isAlive, 'the process lives')
    assert.equal(damage.refused, 0, `refused: ${damage.firstRefusal}`)
    assert.equal(damage.lost, 0, 'every acknowledged event is in its log once')
    assert.ok(damage.p95 < PATIENCE_MS, `95 % are answered within ${PATIENCE_MS} ms: ${damage.p95}`)
    assert.ok(damage.peakMb < MOST_MB_DURING, `memory stays below ${MOST_MB_DURING} MB: ${damage.peakMb}`)
    assert.ok(
      damage.descriptorsLeft <= SPARE_DESCRIPTORS,
      `descriptors are given back: ${damage.descriptorsLeft}`,
    )
  })
}
