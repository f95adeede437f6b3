const PROTOCOL = /^postgres(?:ql)?:\/\//i
const NOT_A_URL = 'a URL that begins with postgres:// or postgresql://'
const NOT_ENCODED = `${NOT_A_URL}, such as postgres://user:password@host:5432/claimkeeper. In the user, the password and the database name, encode # as %23, % as %25, & as %26, / as %2F, ? as %3F and @ as %40`
const SEVERAL_HOSTS =
  'the address of one server. Several hosts are not tried in turn: name a proxy in front of them, or the primary'

/** Authority, path and query. */
const PARTS = /^[^/]*\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/s
/** Parameters whose values may contain an @: users of hosted PostgreSQL are often `user@server`. */
const MAY_HOLD_AT = ['user', 'password', 'application_name', 'options', 'host']

/**
 * The address of a PostgreSQL server, unchanged. It is refused if the password seems to contain a separator that is not encoded: a part
 * of the password would be read, and shown, as the host, the port or the database.
 */
export function databaseUrl(text: string): string {
  if (!PROTOCOL.test(text)) throw new Error(NOT_A_URL)
  if (!isCutShort(text) && hasSeveralHosts(text)) throw new Error(SEVERAL_HOSTS)
  if (!URL.canParse(text) || isCutShort(text) || !isDecodable(new URL(text))) throw new Error(NOT_ENCODED)
  return text
}

/** Adds the `sslmode` of the environment (PGSSLMODE in libpq) if the address has none. */
export function withSslMode(address: string, mode: string | undefined): string {
  if (!mode || /[?&]ssl(?:mode)?=/.test(address)) return address
  return `${address}${address.includes('?') ? '&' : '?'}sslmode=${encodeURIComponent(mode)}`
}

function isCutShort(text: string): boolean {
  const [, , path = '', query = '', fragment] = PARTS.exec(text) ?? []
  if (fragment !== undefined || path.includes('@')) return true
  return query.split('&').some((pair) => {
    const [name = '', ...value] = pair.split('=')
    return name.includes('@') || (value.join('=').includes('@') && !MAY_HOLD_AT.includes(name))
  })
}

/** As in libpq: `h1:5432,h2:5432`, or `host=h1,h2`. */
function hasSeveralHosts(text: string): boolean {
  const [, authority = '', , query = ''] = PARTS.exec(text) ?? []
  return authority.slice(authority.lastIndexOf('@') + 1).includes(',') || /(?:^|&)host=[^&]*,/.test(query)
}

/** Whether percent-encoded bytes are UTF-8. A % that is not an escape stays. */
function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    for (const part of [username, password, pathname])
      decodeURIComponent(part.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}
