/* Accounts, sessions and tokens: what several test files use of the source. When a source file moves, one line changes here. */

export { createInvitation } from '../../../src/accounts/invitations/invitations.ts'
export { TOKEN_CACHE_TRUST_MS } from '../../../src/accounts/limits.ts'
export { Passwords } from '../../../src/accounts/passwords.ts'
export { hashSessionToken } from '../../../src/accounts/sessions/hashed-sessions.ts'
export { hashToken, newToken } from '../../../src/accounts/tokens/api-token.ts'
export { TokenOwners } from '../../../src/accounts/tokens/token-owners.ts'
export { createToken, revokeToken } from '../../../src/accounts/tokens/tokens.ts'
export { createUser, setUserPassword } from '../../../src/accounts/users.ts'
