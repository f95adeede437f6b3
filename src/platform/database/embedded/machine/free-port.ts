import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the range that kernels give to outgoing connections: a client that retries on a port of that range may be
 * given the very port it calls, and then meets itself there while PostgreSQL cannot have it.
 */
const LOWEST = 15_000
const HIGHEST = 32_000

/** The preferred port when it is free on 127.0.0.1, else a free one by chance. It may be taken a moment later. */
export async function findFreePort(preferred: number | undefined): Promise<number> {
  let port = preferred ?? randomInt(LOWEST, HIGHEST)
  while (!(await isFree(port))) port = randomInt(LOWEST, HIGHEST)
  return port
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
