import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import type { Scope } from './test-database.ts'
import { startTestService, type TestService, type TestServiceOptions } from './test-service.ts'

/** A service that reaches its database by a proxy, which can do it harm. The test's own SQL goes past that. */
export async function startStruckService(
  t: Scope,
  options: Omit<TestServiceOptions, 'throughUrl'> = {},
): Promise<TestService & { proxy: FaultProxy }> {
  let proxy: FaultProxy | undefined
  const service = await startTestService(t, {
    ...options,
    throughUrl: async (databaseUrl) => {
      proxy = await startFaultProxy(t, databaseUrl)
      return proxy.url
    },
  })
  return { ...service, proxy: proxy as FaultProxy }
}
