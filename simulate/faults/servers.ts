import { possible, type RealFault, seconds, wait, waitUntil } from './moments.ts'

/** A worker that crashes repeatedly is restarted later each time. */
const WORKER_PATIENCE_MS = 35_000

const endedBy = (name: string, signal: 'SIGKILL' | 'SIGTERM'): RealFault => ({
  name,
  unavailable: possible,
  strike: async (stage, random, runs) => {
    const server = random.pick(stage.servers)
    const comeBack = stage.untilCalm(() => server.start())
    try {
      const since = performance.now()
      if (!(await server.end(signal))) return null
      await wait(random.int(0, 1_500), runs)
      await server.start()
      return `${server.name} ended by ${signal}, ready again after ${seconds(performance.now() - since)}`
    } finally {
      await comeBack()
    }
  },
})

/** Kills all processes at once. */
export const powerCut: RealFault = {
  name: 'power-cut',
  unavailable: possible,
  strike: (stage, random, runs) =>
    stage.postgres.alone(async () => {
      const { postgres, shardNodes, servers } = stage
      const startAll = async () => {
        await stage.startDatabase()
        await Promise.all(servers.map((server) => server.start()))
      }
      const comeBack = stage.untilCalm(startAll)
      const since = performance.now()
      try {
        const ended = await Promise.all([
          ...[postgres, ...shardNodes].map((node) => node.stop('immediate')),
          ...servers.map((server) => server.end('SIGKILL')),
        ])
        await wait(random.int(0, 1_000), runs)
        await comeBack()
        if (!ended.some(Boolean)) return null
        return `PostgreSQL and all servers ended, ready again after ${seconds(performance.now() - since)}`
      } finally {
        await comeBack()
      }
    }),
}

/** Kills one of the worker processes of a server. */
export const workerKilled: RealFault = {
  name: 'worker-killed',
  unavailable: () => (process.platform === 'linux' ? null : 'a process does not tell of its children here'),
  strike: async (stage, random, runs) => {
    const server = random.pick(stage.servers)
    const before = server.workers
    if (before.length === 0) return null
    const killed = random.pick(before)
    const since = performance.now()
    if (!server.killWorker(killed)) return null
    await waitUntil(() => server.workers.length === before.length, WORKER_PATIENCE_MS, runs)
    return `a worker of ${server.name} killed, another one there after ${seconds(performance.now() - since)}`
  },
}

/** Kills a server. */
export const serverKilled = endedBy('server-killed', 'SIGKILL')
/** Stops a server as an operator does: it finishes requests in flight. */
export const serverStopped = endedBy('server-stopped', 'SIGTERM')
