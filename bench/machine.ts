import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { SECRETS, SETTINGS } from '../src/config/config.ts'
import type { Pgbench } from './pgbench.ts'

const ROOT = new URL('..', import.meta.url)

type Machine = ReturnType<typeof describeMachine>
type Versions = ReturnType<typeof describeVersions>

/** A summary for readers. */
export function introduction(machine: Machine, versions: Versions): string {
  const { cpu, cores, memory_gb, kernel, load_average_at_start } = machine
  const commit = `${versions.commit?.slice(0, 10) ?? 'unknown'}${versions.uncommitted_changes ? ' with changes' : ''}`
  return [
    `${cpu}, ${cores} cores, ${memory_gb} GB, ${kernel}, load average ${load_average_at_start[0]} at the start`,
    `Node ${versions.node}, PostgreSQL ${versions.postgresql ?? 'not used'}, pgbench ${versions.pgbench ?? 'not used'}, commit ${commit}`,
  ].join('\n')
}

/** Other processes use more than a quarter of the cores. */
export const isBusy = ({ cores, load_average_at_start }: Machine): boolean =>
  (load_average_at_start[0] as number) > cores / 4

/** The machine on which the figures were measured. */
export function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory_gb: Number((totalmem() / 2 ** 30).toFixed(1)),
    kernel: `${type()} ${release()}`,
    load_average_at_start: loadavg().map((load) => Number(load.toFixed(2))),
  }
}

export function describeVersions(postgres: string | null, pgbench: Pgbench | null) {
  return {
    claimkeeper: JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')).version as string,
    node: process.versions.node,
    postgresql: postgres,
    pgbench: pgbench?.version ?? null,
    ...describeCommit(),
  }
}

/** Settings of the service that the environment sets. Values of secrets are hidden. */
export function describeEnvironment(): Record<string, string> {
  const set = Object.values(SETTINGS).filter(({ name }) => process.env[name])
  return Object.fromEntries(
    set.map(({ name }) => [name, SECRETS.includes(name) ? '(set)' : (process.env[name] as string)]),
  )
}

function describeCommit(): { commit: string | null; uncommitted_changes: boolean | null } {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    return { commit: git('rev-parse', 'HEAD'), uncommitted_changes: git('status', '--porcelain') !== '' }
  } catch {
    return { commit: null, uncommitted_changes: null }
  }
}
