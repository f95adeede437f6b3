import { setTimeout as pause } from 'node:timers/promises'
import type { Part } from '../part.ts'
import { residentMbOf } from '../process-figures.ts'

/** Time in which jobs run once and the garbage of the start is collected. */
const SETTLES_MS = 10_000

export const rest: Part = {
  name: 'rest',
  summary: 'memory of a server without requests',
  run: async (bench, report) => {
    const database = await (await bench.cluster()).createDatabase('bench_rest')
    const server = await bench.startServer(database)
    bench.progress.doing('waiting')
    await pause(SETTLES_MS)
    report.figure('server_at_rest_mb', residentMbOf(server.pid))
    await bench.stopServer(server)
  },
}
