import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits as base64url. */
const FORM = /^[A-Za-z0-9_-]{43}$/

export const newInvitationKey = (): string => randomBytes(32).toString('base64url')

export const isInvitationKey = (text: string): boolean => FORM.test(text)

/** What is stored of a key. A fast hash is enough: the key itself is random. */
export const hashInvitationKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** The page where the key is used. A browser keeps the fragment to itself: no server and no proxy logs it. */
export const invitationUrl = (serviceUrl: string, key: string): string => `${serviceUrl}/welcome#key=${key}`

/** How long it can be used. */
export const INVITATION_SECONDS = 7 * 86_400
