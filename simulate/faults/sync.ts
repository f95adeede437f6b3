import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { LocalTestbed } from '../testbed/local-testbed.ts'
import { type LocalFault, seconds, waitUntil } from './timing.ts'

const SYNCS = 'fsync,fdatasync'
const TIMEOUT_MS = 4_000
const STOP_MS = 2_000

/** The kernel reports failed syncs to PostgreSQL, which ends all sessions and recovers. */
export const syncFails: LocalFault = {
  name: 'sync-fails',
  unavailable: tracingUnavailable,
  inject: (testbed, random, signal) =>
    testbed.postgres.runExclusive(async () => {
      // In each process: the first commit, or one of the many syncs of a recovery.
      const which = random.pick(['1', '2', '5', '20', '3+7'])
      const since = performance.now()
      let failed = 0
      const trace = await traceAll(testbed, `inject=${SYNCS}:error=EIO:when=${which}`)
      trace.stderr?.on('data', (chunk) => {
        failed += `${chunk}`.split('INJECTED').length - 1
      })
      const release = testbed.onRecover(() => end(trace))
      try {
        await waitUntil(() => failed > 0, TIMEOUT_MS, signal)
        await waitUntil(() => false, random.int(0, 1_000), signal)
      } finally {
        await release()
        // The recovery may have ended for the same reason.
        await testbed.postgres.start()
      }
      return failed === 0 ? null : `${failed} syncs failed in ${seconds(performance.now() - since)}`
    }),
}

/** Uses `strace` (Debian package), which can change the results of system calls. */
async function traceAll(testbed: LocalTestbed, expression: string): Promise<ChildProcess> {
  const backends = await testbed.sql<{ pid: number }>('SELECT pid FROM pg_stat_activity')
  const pids = [await testbed.postgres.pid(), ...backends.map(({ pid }) => pid)].filter(Boolean)
  const words = ['-f', '-qq', '-e', `trace=${SYNCS}`, '-e', expression, '-p', pids.join(',')]
  return spawn('strace', words, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Detaches `strace`. The traced processes continue. */
async function end(trace: ChildProcess): Promise<void> {
  if (trace.exitCode !== null || trace.signalCode !== null) return
  const ended = once(trace, 'exit')
  trace.kill('SIGINT')
  const late = setTimeout(() => trace.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(late)
}

let tracing: string | null | undefined
function tracingUnavailable(): string | null {
  tracing ??= tryToTrace()
  return tracing === '' ? null : tracing
}

/** The reason why tracing is impossible. Empty if it is possible. */
function tryToTrace(): string {
  try {
    execFileSync('strace', ['-qq', '-o', '/dev/null', 'true'], { stdio: 'ignore' })
  } catch {
    return 'strace is not installed or not allowed to trace'
  }
  return process.getuid?.() !== 0 && scope() > 0 ? 'only root may trace (ptrace_scope)' : ''
}

function scope(): number {
  try {
    return Number(readFileSync('/proc/sys/kernel/yama/ptrace_scope', 'utf8'))
  } catch {
    return 0
  }
}
