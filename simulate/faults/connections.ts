import { possible, type RealFault, seconds, wait, waitUntil } from './moments.ts'

/** Position of a cut. Most messages are longer, so a cut is within a message. */
const FAR_BYTES = 20_000
const TIMEOUT_MS = 5_000

/** Cuts a connection between a server and the database. */
export const databaseConnectionCut: RealFault = {
  name: 'database-connection-cut',
  unavailable: possible,
  strike: async (stage, random, signal) => {
    const { name, proxy } = random.pick(stage.servers)
    const byte = random.int(1, FAR_BYTES)
    proxy.cutter.arm(byte)
    const isCut = await waitUntil(() => !proxy.cutter.isArmed, TIMEOUT_MS, signal)
    proxy.cutter.disarm()
    return isCut ? `a connection of ${name} to the database cut at byte ${byte}` : null
  },
}

/** Cuts a connection between a client and a server. */
export const clientConnectionCut: RealFault = {
  name: 'client-connection-cut',
  unavailable: possible,
  strike: async (stage, random, signal) => {
    const { name, front } = random.pick(stage.servers)
    const byte = random.int(1, FAR_BYTES)
    front.cutter.arm(byte)
    const isCut = await waitUntil(() => !front.cutter.isArmed, TIMEOUT_MS, signal)
    front.cutter.disarm()
    return isCut ? `a client's connection to ${name} cut at byte ${byte}` : null
  },
}

/** Executes requests whose clients never get the response. */
export const answersLost: RealFault = {
  name: 'answers-lost',
  unavailable: possible,
  strike: async (stage, random, signal) => {
    const { name, front } = random.pick(stage.servers)
    const count = random.int(1, 10)
    front.loseAnswers(count)
    await waitUntil(() => front.answersToLose === 0, TIMEOUT_MS, signal)
    const lost = count - front.answersToLose
    front.loseAnswers(0)
    return lost === 0 ? null : `${lost} answers of ${name} lost`
  },
}

/** Blocks all traffic between a server and the database, without closing the connection. */
export const databaseSilent: RealFault = {
  name: 'database-silent',
  unavailable: possible,
  strike: async (stage, random, signal) => {
    const { name, proxy } = random.pick(stage.servers)
    const thaw = stage.untilCalm(() => proxy.thaw())
    // Sometimes longer than the service waits for a response.
    const ms = random.chance(0.2) ? random.int(5_000, 7_000) : random.int(300, 2_000)
    proxy.freeze()
    try {
      await wait(ms, signal)
      return `the database silent to ${name} for ${seconds(ms)}`
    } finally {
      await thaw()
    }
  },
}

/** Takes almost all connections of the database and closes those of the servers. */
export const databaseFull: RealFault = {
  name: 'database-full',
  unavailable: possible,
  strike: async (stage, random, signal) => {
    const refusals = await stage.postgres.watchLog(/too many connections for role/)
    const letIn = stage.untilCalm(() => stage.sql('ALTER ROLE claimkeeper CONNECTION LIMIT -1'))
    try {
      await stage.sql(`ALTER ROLE claimkeeper CONNECTION LIMIT ${random.int(0, 6)}`)
      await stage.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'claimkeeper'",
      )
      await wait(random.int(500, 2_000), signal)
      const refused = await refusals()
      return refused === 0 ? null : `${refused} connections refused, since there are too many`
    } finally {
      await letIn()
    }
  },
}
