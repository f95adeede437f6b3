import { createHmac, timingSafeEqual } from 'node:crypto'

/** Browsers accept a cookie with the prefix __Host- only over https, and send it only to the host that set it. */
export const cookiePrefix = (isSecure: boolean): string => `${isSecure ? '__Host-' : ''}claimkeeper`

export const sessionCookieName = (isSecure: boolean): string => `${cookiePrefix(isSecure)}.session_token`

/** The session's token in a cookie that better-auth signed; null if the signature does not match. */
export function readSessionToken(cookie: string, secret: string): string | null {
  const text = decode(cookie)
  const end = text.lastIndexOf('.')
  if (end <= 0) return null
  const token = text.slice(0, end)
  const given = Buffer.from(text.slice(end + 1), 'base64')
  const expected = createHmac('sha256', secret).update(token).digest()
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null
}

function decode(cookie: string): string {
  try {
    return decodeURIComponent(cookie)
  } catch {
    return ''
  }
}
