import type { Bench } from './bench.ts'

/** Shares of one core. Null if the system does not report CPU times. */
export interface CpuShares {
  serverCpu: number | null
  databaseCpu: number | null
}

/** Measures from the end of the warm-up until the returned function is called. */
export async function watchCpu(bench: Bench, warmupMs: number): Promise<() => CpuShares> {
  const [cluster, { server }] = [await bench.cluster(), await bench.main()]
  const read = () => ({ at: performance.now(), server: server.cpuMs(), database: cluster.cpuMs() })
  let first: ReturnType<typeof read> | null = null
  const timer = setTimeout(() => {
    first = read()
  }, warmupMs)
  return () => {
    clearTimeout(timer)
    const last = read()
    const share = (process: 'server' | 'database') => {
      const [from, to] = [first?.[process] ?? null, last[process]]
      return from === null || to === null ? null : (to - from) / (last.at - (first?.at ?? 0))
    }
    return { serverCpu: share('server'), databaseCpu: share('database') }
  }
}
