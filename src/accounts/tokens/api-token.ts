import { hash, randomBytes } from 'node:crypto'

/** `ck_` and 256 random bits as base64url (§5). */
const FORM = /^ck_[A-Za-z0-9_-]{43}$/

export const newToken = (): string => `ck_${randomBytes(32).toString('base64url')}`

export const isToken = (text: string): boolean => FORM.test(text)

/** The stored form of a token. A fast hash is enough, because the token is random. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** The token of a request that changes a record; null for a session. */
export type ByToken = string | null

/** The hash by which statements find the token, as `actorSql` takes it. */
export const actorHash = (token: ByToken): Buffer | null => (token === null ? null : hashToken(token))
