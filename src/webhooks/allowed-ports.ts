/** Other ports below 1024 belong to mail and other services, which a POST request could misuse. */
const WEB_PORTS: readonly number[] = [80, 443]
const FIRST_UNPRIVILEGED_PORT = 1_024

/** @param more further ports below 1024 that the operator allows */
export const isAllowedPort = (port: number, more: readonly number[]): boolean =>
  port >= FIRST_UNPRIVILEGED_PORT || WEB_PORTS.includes(port) || more.includes(port)

/** @param port of a URL; empty for the scheme's default */
export const portOf = (port: string, protocol: string): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

export const PORT_RULE = `must be 80, 443 or ${FIRST_UNPRIVILEGED_PORT} or higher, or listed in the setting CLAIMKEEPER_WEBHOOK_PORTS`
