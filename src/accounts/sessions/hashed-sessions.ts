import { createHash } from 'node:crypto'
import type { BetterAuthPlugin, DBAdapter, DBTransactionAdapter, Where } from 'better-auth'

/** The stored form of a session's token. Lists of sessions show it too: it is no credential. */
export const hashSessionToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')

/**
 * better-auth stores tokens of sessions in clear. With this plugin the database holds only their hashes: a copy of the database
 * gives access to no session.
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
    const send = adapter[method] as (query: Query) => Promise<unknown>
    if (query.model !== 'session') return send(query)
    const result = await send({ ...query, where: (query.where ?? []).map(withHash) })
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
  if (typeof value !== 'string') throw new Error('a query for sessions must name exactly one token')
  return { ...condition, value: hashSessionToken(value) }
}

/** Replaces the hash of the row by the token that the caller gave. */
function withToken(row: unknown, token: unknown): unknown {
  const isSession = typeof row === 'object' && row !== null && 'token' in row
  return isSession && typeof token === 'string' ? { ...row, token } : row
}
