import { alwaysAvailable, type LocalFault, seconds, wait, waitUntil } from './timing.ts'

/** Position of a cut. Most messages are longer, so a cut is within a message. */
const FAR_BYTES = 20_000
const TIMEOUT_MS = 5_000

/** Cuts a connection between a server and the database. */
export const databaseConnectionCut: LocalFault = {
  name: 'database-connection-cut',
  unavailable: alwaysAvailable,
  inject: async (testbed, random, signal) => {
    const { name, proxy } = random.pick(testbed.servers)
    const byte = random.int(1, FAR_BYTES)
    proxy.cutter.arm(byte)
    const isCut = await waitUntil(() => !proxy.cutter.isArmed, TIMEOUT_MS, signal)
    proxy.cutter.disarm()
    return isCut ? `a connection of ${name} to the database cut at byte ${byte}` : null
  },
}

/** Cuts a connection between a client and a server. */
export const clientConnectionCut: LocalFault = {
  name: 'client-connection-cut',
  unavailable: alwaysAvailable,
  inject: async (testbed, random, signal) => {
    const { name, serverProxy } = random.pick(testbed.servers)
    const byte = random.int(1, FAR_BYTES)
    serverProxy.cutter.arm(byte)
    const isCut = await waitUntil(() => !serverProxy.cutter.isArmed, TIMEOUT_MS, signal)
    serverProxy.cutter.disarm()
    return isCut ? `a client's connection to ${name} cut at byte ${byte}` : null
  },
}

/** Executes requests whose clients never get the response. */
export const answersLost: LocalFault = {
  name: 'answers-lost',
  unavailable: alwaysAvailable,
  inject: async (testbed, random, signal) => {
    const { name, serverProxy } = random.pick(testbed.servers)
    const count = random.int(1, 10)
    serverProxy.dropResponses(count)
    await waitUntil(() => serverProxy.responsesToDrop === 0, TIMEOUT_MS, signal)
    const lost = count - serverProxy.responsesToDrop
    serverProxy.dropResponses(0)
    return lost === 0 ? null : `${lost} responses of ${name} lost`
  },
}

/** Blocks all traffic between a server and the database, without closing the connection. */
export const databaseSilent: LocalFault = {
  name: 'database-silent',
  unavailable: alwaysAvailable,
  inject: async (testbed, random, signal) => {
    const { name, proxy } = random.pick(testbed.servers)
    const thaw = testbed.onRecover(() => proxy.thaw())
    // Sometimes longer than the service waits for a response.
    const ms = random.chance(0.2) ? random.int(5_000, 7_000) : random.int(300, 2_000)
    proxy.freeze()
    try {
      await wait(ms, signal)
      return `no traffic between ${name} and the database for ${seconds(ms)}`
    } finally {
      await thaw()
    }
  },
}

/** Limits the connections of the service's role and terminates the existing ones. */
export const databaseFull: LocalFault = {
  name: 'database-full',
  unavailable: alwaysAvailable,
  inject: async (testbed, random, signal) => {
    const refusals = await testbed.postgres.watchLog(/too many connections for role/)
    const removeLimit = testbed.onRecover(() => testbed.sql('ALTER ROLE claimkeeper CONNECTION LIMIT -1'))
    try {
      await testbed.sql(`ALTER ROLE claimkeeper CONNECTION LIMIT ${random.int(0, 6)}`)
      await testbed.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'claimkeeper'",
      )
      await wait(random.int(500, 2_000), signal)
      const refused = await refusals()
      return refused === 0 ? null : `${refused} connections refused by the connection limit`
    } finally {
      await removeLimit()
    }
  },
}
