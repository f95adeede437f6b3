import { createHash } from 'node:crypto'
import type { BetterAuthPlugin, DBAdapter, DBTransactionAdapter, Where } from 'better-auth'

/** What is stored of a session's token, and what a list of sessions shows of it: it signs nobody in. */
export const hashSessionToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')

/**
 * better-auth stores sessions' tokens as they are. With this plugin the database holds hashes only: who reads the
 * database, or a copy of it, cannot go on with anyone's session.
 */
export const hashedSessions: BetterAuthPlugin = {
  id: 'hashed-sessions',
  init: ({ adapter }) => ({ context: { adapter: withHashedTokens(adapter) } }),
}

function withHashedTokens(adapter: DBAdapter): DBAdapter {
  return {
    ...hashing(adapter),
    transaction: (work) => adapter.transaction((transaction) => work(hashing(transaction))),
  }
}

type Query = { model: string; where?: Where[] | undefined }
type Method =
  | 'findOne'
  | 'findMany'
  | 'update'
  | 'updateMany'
  | 'delete'
  | 'deleteMany'
  | 'consumeOne'
  | 'count'

function hashing<A extends DBTransactionAdapter>(adapter: A): A {
  const through = (method: Method) => async (query: Query) => {
    const ask = adapter[method] as (query: Query) => Promise<unknown>
    if (query.model !== 'session') return ask(query)
    const result = await ask({ ...query, where: (query.where ?? []).map(withHash) })
    return withToken(result, query.where?.find(({ field }) => field === 'token')?.value)
  }
  const create = async (query: Parameters<A['create']>[0]) => {
    const { token } = query.data
    if (query.model !== 'session') return adapter.create(query)
    const data = { ...query.data, token: hashSessionToken(token as string) }
    return withToken(await adapter.create({ ...query, data }), token)
  }
  return {
    ...adapter,
    create,
    findOne: through('findOne'),
    findMany: through('findMany'),
    update: through('update'),
    updateMany: through('updateMany'),
    delete: through('delete'),
    deleteMany: through('deleteMany'),
    consumeOne: through('consumeOne'),
    count: through('count'),
  }
}

function withHash(condition: Where): Where {
  const { field, value } = condition
  if (field !== 'token') return condition
  if (typeof value !== 'string') throw new Error('sessions are looked for by one token at a time')
  return { ...condition, value: hashSessionToken(value) }
}

/** The caller knows the token; the row has its hash. */
function withToken(row: unknown, token: unknown): unknown {
  const isSession = typeof row === 'object' && row !== null && 'token' in row
  return isSession && typeof token === 'string' ? { ...row, token } : row
}
