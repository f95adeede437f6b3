/* Accounts, sessions and tokens: what several test files use of the source. When a source file moves, one line changes here. */

export { Passwords } from '../../../src/app/accounts/passwords.ts'
export { createUser, setUserPassword } from '../../../src/app/accounts/users.ts'
export { createInvitation } from '../../../src/app/invitations/invitations.ts'
export { hashSessionToken } from '../../../src/app/sessions/hashed-sessions.ts'
export { hashToken, newToken } from '../../../src/app/tokens/api-token.ts'
export { LONGEST_TRUST_MS, TokenOwners } from '../../../src/app/tokens/token-owners.ts'
export { createToken, revokeToken } from '../../../src/app/tokens/tokens.ts'
