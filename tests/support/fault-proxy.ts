import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { ConnectionCutter } from './connection-cutter.ts'
import {
  errorMessage,
  expectsResponse,
  isAnswered,
  isDone,
  Messages,
  queryMessage,
  StatementNames,
} from './postgres-wire.ts'
import type { Scope } from './test-database.ts'

/** A fault of a statement. */
export type Fault =
  /** The connection breaks before the statement reaches the database. */
  | 'cut before'
  /** The statement is executed. The connection breaks before the response. */
  | 'cut during'
  /** The connection breaks after the response. */
  | 'cut after'
  /** The connection passes nothing more in either direction, and is not closed. */
  | 'silence before'
  /** The same after the statement is executed. */
  | 'silence during'
  /** The database ends the connection, as with `pg_terminate_backend`. */
  | 'terminated'
  /** The database refuses the statement with this SQLSTATE. Its transaction fails. */
  | { refused: string }
  /** The statement is executed. The response is this SQLSTATE, as an error or as the shutdown of the server. */
  | { doneAndSaid: string; severity?: 'PANIC' }
  | { delayedMs: number }

interface Aim {
  /** A name of `StatementNames`. `connect`: opening a connection. */
  statement: string
  /** Number of its execution, counted from now on. Default: the first. */
  occurrence?: number
  /** Accepts no new connections until `comeBack`. */
  staysDown?: boolean
}

export interface FaultProxy {
  /** The URL of the database through the proxy. */
  url: string
  /** Injects a fault once. */
  inject: (aim: Aim, fault: Fault) => void
  /** Whether the last fault was injected. */
  wasInjected: () => boolean
  /** Cancels the fault. */
  disarm: () => void
  /**
   * Calls the function with the name of each statement. The statement waits for its promise, before a fault is
   * injected. Null removes the function.
   */
  onStatement: (listener: StatementListener | null) => void
  /** Accepts no new connections. */
  goDown: () => void
  /** Accepts connections again. */
  comeBack: () => void
  /** Cuts a connection after a number of bytes. */
  cutter: ConnectionCutter
  /** Holds all traffic in both directions. */
  freeze: () => void
  /** Releases the held traffic. */
  thaw: () => void
}

type StatementListener = (statement: string) => unknown

/** Statements of background work, independent of requests. */
export const IN_THE_BACKGROUND =
  /^(connect|connection_settings|touch_api_token|find_token_owner|SELECT pg_notify|SELECT pg_advisory_unlock_shared)/

interface Armed {
  aim: Aim
  fault: Fault
  left: number
}

/** A proxy between the service and the database that breaks connections or statements at chosen moments. */
export async function startFaultProxy(t: Scope, databaseUrl: string): Promise<FaultProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let armed: Armed | null = null
  let listener: StatementListener | null = null
  let isDown = false
  let isFrozen = false
  const cutter = new ConnectionCutter()

  /** The fault for this statement, if it is its turn. */
  function faultFor(statement: string): Fault | null {
    if (armed?.aim.statement !== statement || --armed.left > 0) return null
    const { aim, fault } = armed
    armed = null
    isDown ||= aim.staysDown === true
    return fault
  }

  const server = createServer((client) => {
    if (isDown) {
      client.destroy()
      return
    }
    const database = connect(Number(target.port), target.hostname)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    relay(client, database, (statement) => listener?.(statement), faultFor, cutter)
    if (isFrozen) for (const socket of [client, database]) socket.pause()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    inject: (aim, fault) => {
      armed = { aim, fault, left: aim.occurrence ?? 1 }
    },
    wasInjected: () => armed === null,
    disarm: () => {
      armed = null
    },
    onStatement: (next) => {
      listener = next
    },
    goDown: () => {
      isDown = true
    },
    comeBack: () => {
      isDown = false
    },
    cutter,
    freeze: () => {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw: () => {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
  }
}

/** Relays messages in both directions until a fault is injected. */
function relay(
  client: Socket,
  database: Socket,
  onStatement: StatementListener,
  faultFor: (statement: string) => Fault | null,
  cutter: ConnectionCutter,
): void {
  const [fromClient, fromServer] = [new Messages('client'), new Messages('server')]
  const names = new StatementNames()
  let pending: { type: string; bytes: Buffer }[] = []
  let atAnswer: 'cut during' | 'cut after' | 'silence during' | null = null
  let saidInstead: Buffer | null = null
  let isSilent = false

  const breakOff = () => {
    client.destroy()
    database.destroy()
  }
  for (const socket of [client, database]) {
    socket.on('error', breakOff)
    socket.on('close', breakOff)
  }
  /** Writes the bytes, or the bytes before the point at which the connection is cut. */
  const send = (to: Socket, bytes: Buffer) => {
    const passing = cutter.pass(bytes)
    if (passing.length === bytes.length) to.write(bytes)
    else to.write(passing, breakOff)
  }
  const passOn = (bytes: Buffer) => {
    if (!isSilent) send(database, bytes)
  }

  client.on('data', (bytes: Buffer) => {
    for (const message of fromClient.take(bytes)) {
      pending.push(message)
      if (!expectsResponse(message.type)) continue
      const statement = names.of(pending) ?? (message.type === '' ? 'connect' : null)
      const whole = Buffer.concat(pending.map((part) => part.bytes))
      pending = []
      if (statement === null) passOn(whole)
      else void meet(statement, whole)
    }
  })

  /** Handles one statement. The driver sends nothing before the response. */
  async function meet(statement: string, whole: Buffer): Promise<void> {
    const done = onStatement(statement)
    if (done instanceof Promise) await done
    const fault = faultFor(statement)
    if (fault === null) passOn(whole)
    else apply(fault, statement, whole)
  }

  function apply(fault: Fault, statement: string, whole: Buffer): void {
    if (fault === 'cut before') breakOff()
    else if (fault === 'silence before') isSilent = true
    else if (fault === 'terminated') passOn(queryMessage('SELECT pg_terminate_backend(pg_backend_pid())'))
    else if (typeof fault === 'string') {
      atAnswer = fault
      passOn(whole)
    } else if ('doneAndSaid' in fault) {
      saidInstead = errorMessage(fault.doneAndSaid, fault.severity ?? 'ERROR')
      passOn(whole)
    } else if ('refused' in fault) passOn(queryMessage(refusal(fault.refused, statement)))
    else setTimeout(passOn, fault.delayedMs, whole)
  }

  database.on('data', (bytes: Buffer) => {
    const messages = [...fromServer.take(bytes)]
    const isOver = messages.some(({ type }) => isAnswered(type))
    if (saidInstead !== null) {
      for (const { type, bytes } of messages) client.write(isDone(type) ? saidInstead : bytes)
      if (isOver) saidInstead = null
      return
    }
    if (isSilent || (atAnswer === 'cut during' && !isOver)) return
    if (!isOver || atAnswer === null) {
      if (atAnswer !== 'silence during') send(client, bytes)
    } else if (atAnswer === 'silence during') {
      isSilent = true
    } else if (atAnswer === 'cut during') breakOff()
    else client.end(bytes, () => database.destroy())
  })
}

/**
 * SQL that fails with this SQLSTATE in the real database, so that the session is in the state after such an error. A failed
 * COMMIT ends the transaction.
 */
const refusal = (state: string, statement: string) =>
  `${statement === 'COMMIT' ? 'ROLLBACK; ' : ''}DO $$ BEGIN RAISE 'a fault of the test' USING ERRCODE = '${state}'; END $$`
