/* Accounts, sessions and tokens: what tests use of the source. If a file of it moves, one line changes here and none in the tests. */

export { Passwords } from '../../../src/app/accounts/passwords.ts'
export { createUser, setUserPassword } from '../../../src/app/accounts/users.ts'
export { createInvitation } from '../../../src/app/invitations/invitations.ts'
export { hashSessionToken } from '../../../src/app/sessions/hashed-sessions.ts'
export { hashToken, newToken } from '../../../src/app/tokens/api-token.ts'
export { LONGEST_TRUST_MS, TokenOwners } from '../../../src/app/tokens/token-owners.ts'
export { createToken, revokeToken } from '../../../src/app/tokens/tokens.ts'
