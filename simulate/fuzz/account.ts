import type { KnownIds } from './known-ids.ts'

/** An account with its credentials and the ids that responses to it contained. */
export interface Account {
  token: string
  /** A revoked token. Null if none was created. */
  revokedToken: string | null
  /** The header `Cookie` of a session. Null without a session. */
  cookie: string | null
  known: KnownIds
}

/** The credentials of a request. */
export type Identity = 'token' | 'session' | 'other-site' | 'revoked' | 'unknown' | 'malformed' | 'none'

/** The headers with these credentials of the account, for a server at this URL. */
export function identityHeaders(identity: Identity, account: Account, url: string): Record<string, string> {
  const { token, revokedToken, cookie } = account
  switch (identity) {
    case 'token':
      return { Authorization: `Bearer ${token}` }
    case 'session':
      return cookie === null ? { Authorization: `Bearer ${token}` } : { Cookie: cookie, Origin: url }
    case 'other-site':
      return { Cookie: cookie ?? 'a=b', Origin: 'https://other.example' }
    case 'revoked':
      return { Authorization: `Bearer ${revokedToken ?? `${token}x`}` }
    case 'unknown':
      return { Authorization: `Bearer ck_${'A'.repeat(43)}` }
    case 'malformed':
      return { Authorization: `Basic ${token.slice(0, 20)}`, Cookie: 'better-auth.session_token=%E0%A4%A; a' }
    case 'none':
      return {}
  }
}
