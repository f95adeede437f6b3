import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { Cleanup } from '../../bench/cleanup.ts'
import { residentMbOf } from '../../bench/process-figures.ts'
import { ServerProcess } from '../../bench/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { FAMILIES } from './catalogue.ts'
import { type Damage, MAX_MB_DURING, measureAttack, SPARE_DESCRIPTORS } from './measure-attack.ts'

/*
 * Some attacks at once for a moment, with somebody else submitting: whether it hurts is seen, not how much; the benchmark's
 * part `abuse` measures that. The server runs as `npm start` runs it, because its memory is looked at.
 */

const BUILD = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url))
/**
 * When the system's line before the door overflows, TCP sends once more what attackers sent, and that they are gone, after 1, 2, 4
 * seconds and so on: a connection may come when its caller has left, and is closed when its headers are due.
 */
const CALM_MS = 60_000
const MOMENT = { ms: 500, warmupMs: 100, calmMs: CALM_MS, calmMb: Infinity, staysMs: 0, scale: 0.05 }
/** Attacks that go on at the same time. */
const AT_ONCE = 6
/** Above the documented limit: other tests run at the same time. */
const TIMEOUT_MS = 10_000
/** Above the documented limit, which holds for each attack alone. */
const MAX_MB = 1.5 * MAX_MB_DURING
/** Memory that an attack took may stay with the process: one that has grown so far is followed by another. */
const GROWN_MB = 280

execFileSync(process.execPath, [BUILD, '--if-stale'])
const cleanup = new Cleanup()
// Before the database goes, which what comes later brings along.
after(() => cleanup.run())
const url = await createTestDatabase({ after })
const sql = new pg.Client({ connectionString: url })
await sql.connect()
cleanup.add(() => sql.end())

let server: ServerProcess | null = null

for (const [family, attacks] of Object.entries(FAMILIES)) {
  describe(`somebody else does not feel ${family}:`, () => {
    before(async () => {
      if (server && (residentMbOf(server.pid) ?? Infinity) < GROWN_MB) return
      await server?.stop()
      server = await ServerProcess.start({ url }, [], cleanup)
    })

    const brief = attacks.filter(({ duringCheck }) => !duringCheck)
    for (let at = 0; at < brief.length; at += AT_ONCE) {
      const some = brief.slice(at, at + AT_ONCE)
      test(some.map(({ name }) => name).join(', '), async () => {
        assert.ok(server)
        requireHarmless(await measureAttack(some, { url: server.url, pid: server.pid, sql }, MOMENT))
      })
    }
  })
}

function requireHarmless(damage: Damage): void {
  const { isAlive, refused, firstRefusal, lost, p95, webhookP95, unnotified, peakMb, descriptorsLeft } =
    damage
  assert.ok(isAlive, 'the process lives')
  assert.equal(refused, 0, `refused: ${firstRefusal}`)
  assert.equal(lost, 0, 'every acknowledged event is in its log once')
  assert.ok(p95 < TIMEOUT_MS, `95 % are answered within ${TIMEOUT_MS} ms: ${p95}`)
  assert.ok(webhookP95 < TIMEOUT_MS, `95 % of its webhooks come within ${TIMEOUT_MS} ms: ${webhookP95}`)
  assert.equal(unnotified, 0, 'a webhook was delivered for each claim')
  assert.ok(peakMb < MAX_MB, `memory stays below ${MAX_MB} MB: ${peakMb}`)
  assert.ok(descriptorsLeft <= SPARE_DESCRIPTORS, `descriptors are given back: ${descriptorsLeft}`)
}
