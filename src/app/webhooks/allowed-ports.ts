/** Of web servers. Other ports below 1024 are those of mail and other services, which a POST could make do something. */
const WEB_PORTS: readonly number[] = [80, 443]
const FIRST_UNPRIVILEGED_PORT = 1_024

/** @param more ports below 1024 that the operator allows besides */
export const isAllowedPort = (port: number, more: readonly number[]): boolean =>
  port >= FIRST_UNPRIVILEGED_PORT || WEB_PORTS.includes(port) || more.includes(port)

/** Of a URL; empty for the one of the scheme. */
export const portOf = (port: string, protocol: string): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

export const PORT_RULE = `must be 80, 443 or ${FIRST_UNPRIVILEGED_PORT} or higher, unless the setting CLAIMKEEPER_WEBHOOK_PORTS names it`
