import { after } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../../support/eventually.ts'
import type { RawConnection } from '../../support/raw-connection.ts'
import { head } from '../../support/raw-http.ts'
import { startTestService, type TestServiceOptions } from '../../support/test-service.ts'

/** A service of one test file with its log, and callers that disconnect early. */
export async function startService(options: TestServiceOptions = {}) {
  const lines: { msg: string }[] = []
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) })
  const service = await startTestService({ after }, { ...options, log })
  const { api } = service
  return {
    service,
    request: (method: string, path: string, body = '', type = 'application/json') =>
      head(method, path, {
        Authorization: `Bearer ${api.token}`,
        'Content-Type': type,
        'Content-Length': Buffer.byteLength(body),
      }) + body,
    /** Resets the connections once the server has accepted them. Resolves when it has closed them. */
    disconnect: async (connections: readonly RawConnection[]) => {
      const ports = connections.map(({ socket }) => socket.localPort as number)
      await eventually(async () => ports.every((port) => service.clientPorts.has(port)))
      for (const { socket } of connections) socket.resetAndDestroy()
      await eventually(async () => !ports.some((port) => service.clientPorts.has(port)))
    },
    /** The log messages since the last call. Flushes the log first. */
    takeLogMessages: async () => {
      for (let n = 0; n < 20; n++) await api.get('/healthz')
      return lines.splice(0).map(({ msg }) => msg)
    },
  }
}
