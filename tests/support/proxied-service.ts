import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import type { Scope } from './test-database.ts'
import { startTestService, type TestService, type TestServiceOptions } from './test-service.ts'

/** A service that reaches its database through a fault proxy. The test's own SQL does not use the proxy. */
export async function startProxiedService(
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
