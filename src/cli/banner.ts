import { styleText } from 'node:util'
import { SETTINGS } from '../config/config.ts'
import { printable } from '../platform/terminal/printable.ts'

interface BannerFacts {
  url: string
  /** How long the start took. */
  startMs: number
  database: string
  /** The absolute folder of the embedded database; null for an external PostgreSQL. */
  dataDir: string | null
  /** Email of the first account. */
  owner: string
  /** Its first token, if this start creates it. */
  token: string | null
  /** Whether this start created the first account with the token from the settings. That token is not shown. */
  isTokenFromSettings: boolean
  /** The sign-up page of the first account; null if the account has a password. */
  welcomeUrl: string | null
}

/** The text that is printed when the service is ready: its address and the next commands. */
export function bannerText(facts: BannerFacts): string {
  const { url, startMs, database, owner, token, isTokenFromSettings, welcomeUrl } = facts
  const bold = (text: string) => styleText('bold', text, { stream: process.stdout })
  const lines = [
    '',
    `  ${bold('Claimkeeper')} is ready on ${bold(url)} after ${(startMs / 1000).toFixed(1)} s`,
    '',
    welcomeUrl === null ? `  Dashboard       ${url}` : `  Sign up         ${bold(welcomeUrl)}`,
    ...(welcomeUrl === null ? [] : ['                  (works once, for 7 days)']),
    `  API reference   ${url}/docs`,
    `  Database        ${printable(database)}`,
  ]
  if (token === null && !isTokenFromSettings) {
    return [...lines, ...(welcomeUrl === null ? [] : newTokenLines(facts)), ''].join('\n')
  }
  return [
    ...lines,
    `  Account         ${printable(owner)}`,
    `  API token       ${token === null ? `as in ${SETTINGS.bootstrapToken.name}` : 'in the lines below; it is not shown again'}`,
    '',
    '  To bring a first claim to CONFIRMED, paste this into another terminal:',
    '',
    firstClaim(url, token === null ? `"$${SETTINGS.bootstrapToken.name}"` : bold(token)),
  ].join('\n')
}

/** A command that works in any folder. DATABASE_URL contains a password, so it is not shown. */
function newTokenLines({ dataDir, owner, database }: BannerFacts): string[] {
  const command = `npx claimkeeper token create --email ${printable(shellWord(owner))} --name test`
  if (dataDir === null) {
    return [
      `  New API token   ${command}`,
      `                  (with the DATABASE_URL of ${printable(database)})`,
    ]
  }
  return [`  New API token   ${SETTINGS.dataDir.name}=${printable(shellWord(dataDir))} ${command}`]
}

/** A claim from creation to CONFIRMED in curl; the README shows the same lines. */
export function firstClaim(url: string, token: string): string {
  return `API=${url} TOKEN=${token}
get() { curl -sS "$API$1" -H "Authorization: Bearer $TOKEN"; echo; }
post() { curl -sS "$API$1" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d "$2"; echo; }
id_of() { tee /dev/stderr | grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4; }

CUSTOMER=$(get '/v1/customers?external_id=acme' | id_of)
[ "$CUSTOMER" ] || CUSTOMER=$(post /v1/customers '{"external_id": "acme", "name": "ACME Inc."}' | id_of)
CLAIM=$(post /v1/claims '{"customer_id": "'$CUSTOMER'", "contract": {
  "price": 49.50, "activity_window": 86400, "review_window": 0, "timeout_outcome": "fail",
  "fulfillment_condition": {"op": "AND", "conditions": [
    {"event": "ticket_resolved"}, {"event": "satisfaction", "gte": 4}]}}}' | id_of)

post /v1/claims/$CLAIM/events '{"type": "ticket_resolved"}'
post /v1/claims/$CLAIM/events '{"type": "satisfaction", "value": 5}'

# PENDING now, and CONFIRMED from the next whole minute on:
get /v1/claims/$CLAIM
`
}

/** Quotes the text for a shell if necessary. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
