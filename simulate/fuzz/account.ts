import type { Known } from './known.ts'

/** Who asks. */
export interface Account {
  token: string
  /** One that was revoked; null if none could be made. */
  revokedToken: string | null
  /** The header Cookie of a session; null if none could be opened. */
  cookie: string | null
  known: Known
}

/** The ways in which a request may say whose it is. */
export type Identity = 'token' | 'session' | 'other-site' | 'revoked' | 'unknown' | 'garbled' | 'nobody'

/** The headers of a request to this server that comes as the account, or tries to. */
export function headersOf(identity: Identity, account: Account, url: string): Record<string, string> {
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
    case 'garbled':
      return { Authorization: `Basic ${token.slice(0, 20)}`, Cookie: 'better-auth.session_token=%E0%A4%A; a' }
    case 'nobody':
      return {}
  }
}
