import { possible, type RealFault, seconds, wait } from './moments.ts'

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

/** In the middle of whatever it does. */
export const serverKilled = endedBy('server-killed', 'SIGKILL')
/** As an operator does: it ends what it has begun. */
export const serverStopped = endedBy('server-stopped', 'SIGTERM')
