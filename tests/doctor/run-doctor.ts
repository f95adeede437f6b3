import assert from 'node:assert/strict'
import type { Finding } from '../../src/doctor/finding.ts'
import { runCli } from '../support/serve-process.ts'

/** `claimkeeper doctor --json`: its report, and `faults`: the failed checks, by the name of the check. */
export async function doctor(args: string[], settings: Record<string, string>) {
  const { status, stdout, stderr } = await runCli(['doctor', '--json', ...args], settings)
  assert.notEqual(stdout, '', stderr)
  const report = JSON.parse(stdout) as {
    ok: boolean
    checks: Finding[]
    recovers_to?: Record<string, unknown>
  }
  assert.equal(status, report.ok ? 0 : 1)
  const faults = report.checks.filter((check) => check.status === 'fault')
  return { ...report, faults: new Map(faults.map((check) => [check.what, check.found])) }
}
