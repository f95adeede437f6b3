import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { promisify } from 'node:util'
import type { Config } from '../config/config.ts'
import { OperatorError } from '../kernel/operator-error.ts'
import type { TypedServer } from '../platform/http/route.ts'

/** Another program listens on the port. */
export class PortTaken extends OperatorError {}

/**
 * Called before anything is created or changed. Another program may still take the port before `listen`.
 * @returns the port, or a free one if it is 0
 * @throws OperatorError
 */
export async function requireFreePort({ host, port }: Config): Promise<number> {
  const holder = createServer((socket) => socket.destroy())
  try {
    await once(holder.listen({ host, port }), 'listening')
  } catch (error) {
    throw cannotListen(error, host, port)
  }
  const { port: found } = holder.address() as AddressInfo
  await promisify(holder.close).call(holder)
  return found
}

/** @returns the URL of the server @throws OperatorError */
export async function listen(server: TypedServer, { host, port }: Config): Promise<string> {
  try {
    await server.listen({ host, port })
  } catch (error) {
    await server.close()
    throw cannotListen(error, host, port)
  }
  const address = server.server.address() as AddressInfo
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`
}

function cannotListen(error: unknown, host: string, port: number): OperatorError {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'EADDRINUSE'
    ? new PortTaken(`Port ${port} of ${host} is taken; set PORT to another.`)
    : new OperatorError(`Cannot listen on HOST ${host}, PORT ${port}: ${message}`)
}
