import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { v7 as uuidv7 } from 'uuid'
import type { App } from '../../app.ts'
import { CLIENT_ADDRESS_HEADER } from '../../platform/http/connections/forwarded-headers.ts'
import { PASSWORD_LENGTH } from '../passwords.ts'
import { hashedSessions } from './hashed-sessions.ts'
import { cookiePrefix } from './session-cookie.ts'

export interface AuthOptions {
  /** Signs the sessions' cookies. */
  secret: string
  /** Callers come over https: cookies are for it alone. */
  isSecure: boolean
  verifyPassword: (hash: string, password: string) => Promise<boolean>
  /** Hears of errors that the library answers with a status alone. */
  onError: (error: Error) => void
}

const DAY_SECONDS = 86_400
/**
 * better-auth on our tables: signing in and out, sessions, changing the password. Signing up is ours
 * (sign-up.ts), because the invitation and the account must be written together.
 */
export function createAuth(app: App, { secret, isSecure, verifyPassword, onError }: AuthOptions) {
  return betterAuth({
    appName: 'Claimkeeper',
    // Without these two it would look for them in environment variables of its own.
    secrets: [{ version: 1, value: secret }],
    trustedOrigins: (request) => (request ? [new URL(request.url).origin] : []),
    basePath: '/api/auth',
    database: app.db.identity.pool as unknown as NonNullable<BetterAuthOptions['database']>,
    ...TABLES,
    session: {
      ...TABLES.session,
      expiresIn: 14 * DAY_SECONDS,
      updateAge: DAY_SECONDS,
      // Whoever is signed in may see and end sessions, however long ago that was.
      freshAge: 0,
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
      password: {
        hash: (password) => app.passwords.hash(password),
        verify: ({ hash, password }) => verifyPassword(hash, password),
      },
    },
    plugins: [hashedSessions],
    // Ours come before it (accounts/sessions/session-routes.ts).
    rateLimit: { enabled: false },
    // What is no answer of its own is thrown to us, rather than written to the console.
    onAPIError: { throw: true },
    advanced: {
      cookiePrefix: cookiePrefix(isSecure),
      // Not its own prefix but ours, above.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure, httpOnly: true, sameSite: 'strict', path: '/' },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      // In two statements it would write failures of the second to the console.
      database: { generateId: () => uuidv7(), validateSchema: false, joins: true },
      disableCSRFCheck: false,
      disableOriginCheck: false,
    },
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      // Against its type, the message may be the error.
      log: (_level, ...parts: unknown[]) =>
        onError(parts.find((part) => part instanceof Error) ?? new Error(String(parts[0]))),
    },
  })
}

/** Its names on the left, ours on the right. */
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
