import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { v7 as uuidv7 } from 'uuid'
import type { App } from '../../app.ts'
import { CLIENT_ADDRESS_HEADER } from '../../platform/http/connections/forwarded-headers.ts'
import {
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  SESSION_RENEWAL_SECONDS,
  SESSION_TTL_SECONDS,
} from '../limits.ts'
import { hashedSessions } from './hashed-sessions.ts'
import { cookiePrefix } from './session-cookie.ts'

interface AuthOptions {
  /** Signs the cookies of sessions. */
  secret: string
  /** Callers use https, and cookies are sent over https only. */
  isSecure: boolean
  verifyPassword: (hash: string, password: string) => Promise<boolean>
  /** Receives errors for which the library returns only a status. */
  onError: (error: Error) => void
}

/**
 * better-auth on the tables of this service: signing in and out, sessions, password changes. It does not sign people up:
 * sign-up.ts writes the invitation and the account in one transaction.
 */
export function createAuth(app: App, { secret, isSecure, verifyPassword, onError }: AuthOptions) {
  return betterAuth({
    appName: 'Claimkeeper',
    // Without these two options better-auth reads environment variables of its own.
    secrets: [{ version: 1, value: secret }],
    trustedOrigins: (request) => (request ? [new URL(request.url).origin] : []),
    basePath: '/api/auth',
    database: app.db.identity.pool as unknown as NonNullable<BetterAuthOptions['database']>,
    ...TABLES,
    session: {
      ...TABLES.session,
      expiresIn: SESSION_TTL_SECONDS,
      updateAge: SESSION_RENEWAL_SECONDS,
      // A session of any age may list and end sessions.
      freshAge: 0,
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      maxPasswordLength: MAX_PASSWORD_LENGTH,
      password: {
        hash: (password) => app.passwords.hash(password),
        verify: ({ hash, password }) => verifyPassword(hash, password),
      },
    },
    plugins: [hashedSessions],
    // session-routes.ts limits the rate before the library is called.
    rateLimit: { enabled: false },
    // Unexpected errors are thrown, not written to the console.
    onAPIError: { throw: true },
    advanced: {
      cookiePrefix: cookiePrefix(isSecure),
      // The prefix for secure cookies is part of cookiePrefix.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure, httpOnly: true, sameSite: 'strict', path: '/' },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      // Without joins the library sends two statements and writes failures of the second to the console.
      database: { generateId: () => uuidv7(), validateSchema: false, joins: true },
      disableCSRFCheck: false,
      disableOriginCheck: false,
    },
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      // The type is wrong: the message may be an Error.
      log: (_level, ...parts: unknown[]) =>
        onError(parts.find((part) => part instanceof Error) ?? new Error(String(parts[0]))),
    },
  })
}

/** Maps the library's names to tables and columns. */
const TABLES = {
  user: {
    modelName: 'users',
    fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  session: {
    modelName: 'sessions',
    fields: {
      userId: 'user_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  account: {
    modelName: 'credentials',
    fields: {
      userId: 'user_id',
      providerId: 'provider_id',
      accountId: 'account_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  verification: {
    modelName: 'verifications',
    fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
} as const
