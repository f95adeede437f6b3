import { alwaysAvailable, type LocalFault, seconds, wait, waitUntil } from './timing.ts'

/** A worker that crashes repeatedly is restarted later each time. */
const WORKER_TIMEOUT_MS = 35_000

const endedBy = (name: string, signal: 'SIGKILL' | 'SIGTERM'): LocalFault => ({
  name,
  unavailable: alwaysAvailable,
  inject: async (testbed, random, runs) => {
    const server = random.pick(testbed.servers)
    const restart = testbed.onRecover(() => server.start())
    try {
      const since = performance.now()
      if (!(await server.end(signal))) return null
      await wait(random.int(0, 1_500), runs)
      await server.start()
      return `${server.name} ended by ${signal}, ready again after ${seconds(performance.now() - since)}`
    } finally {
      await restart()
    }
  },
})

/** Kills all processes at once. */
export const powerCut: LocalFault = {
  name: 'power-cut',
  unavailable: alwaysAvailable,
  inject: (testbed, random, runs) =>
    testbed.postgres.runExclusive(async () => {
      const { postgres, shardNodes, servers } = testbed
      const startAll = async () => {
        await testbed.startDatabase()
        await Promise.all(servers.map((server) => server.start()))
      }
      const restart = testbed.onRecover(startAll)
      const since = performance.now()
      try {
        const ended = await Promise.all([
          ...[postgres, ...shardNodes].map((node) => node.stop('immediate')),
          ...servers.map((server) => server.end('SIGKILL')),
        ])
        await wait(random.int(0, 1_000), runs)
        await restart()
        if (!ended.some(Boolean)) return null
        return `PostgreSQL and all servers ended, ready again after ${seconds(performance.now() - since)}`
      } finally {
        await restart()
      }
    }),
}

/** Kills one of the worker processes of a server. */
export const workerKilled: LocalFault = {
  name: 'worker-killed',
  unavailable: () => (process.platform === 'linux' ? null : 'only Linux lists the children of a process'),
  inject: async (testbed, random, runs) => {
    const server = random.pick(testbed.servers)
    const before = server.workers
    if (before.length === 0) return null
    const killed = random.pick(before)
    const since = performance.now()
    if (!server.killWorker(killed)) return null
    await waitUntil(() => server.workers.length === before.length, WORKER_TIMEOUT_MS, runs)
    return `a worker of ${server.name} killed, replaced after ${seconds(performance.now() - since)}`
  },
}

/** Kills a server. */
export const serverKilled = endedBy('server-killed', 'SIGKILL')
/** Stops a server as an operator does: it finishes requests in flight. */
export const serverStopped = endedBy('server-stopped', 'SIGTERM')
