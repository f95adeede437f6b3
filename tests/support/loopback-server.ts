import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from './test-database.ts'

export interface LoopbackServer {
  url: string
  close: () => Promise<void>
}

/** An HTTP server of a test that the service sends requests to. */
export async function startLoopbackServer(t: Scope, listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  t.after(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
