import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { DNS_ATTEMPTS, DNS_TIMEOUT_MS } from './limits.ts'

/** The address or port of a webhook is not allowed. The message says why. */
export class AddressRefused extends Error {}

/** All addresses that are assigned to networks of the Internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Services of cloud providers for hosts in their network, at global unicast addresses. Other such services have link-local
 * (169.254.169.254), shared (100.100.100.200), reserved (192.0.0.192) or unique local addresses (fd00:ec2::254).
 */
const CLOUD_INTERNAL = [
  // Azure: DNS and the platform's own endpoint.
  '168.63.129.16/32',
  // IBM Cloud: DNS, time and service endpoints.
  '161.26.0.0/16',
  '166.8.0.0/14',
  // Google Cloud: private.googleapis.com and restricted.googleapis.com.
  '199.36.153.4/30',
  '199.36.153.8/30',
  '2600:2d00:2:1000::/64',
  '2600:2d00:2:2000::/64',
].map((network) => ipaddr.parseCIDR(network))

/** ipaddr.js reads `::8.8.8.8` as `::ffff:8.8.8.8`. It is another address and belongs to no network. */
const IPV4_COMPATIBLE = /^::\d+\./

/**
 * Whether the address is on the Internet. Loopback, private and link-local addresses, internal services of clouds, and
 * addresses that embed another address (6to4, NAT64, Teredo) are not.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address) || IPV4_COMPATIBLE.test(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed.kind() === 'ipv6' && !(parsed as ipaddr.IPv6).match(GLOBAL_IPV6)) return false
  return !CLOUD_INTERNAL.some(
    ([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits),
  )
}

/** The address, if the host of a URL is one. Node does not look up such a host. */
export function literalAddress(hostname: string): string | null {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(address) ? address : null
}

/** @throws AddressRefused */
export function requirePublic(address: string): void {
  if (!isPublic(address)) throw new AddressRefused(`${address} is not a public address.`)
}

/**
 * Looks up a name for a connection. The connection uses one of the returned addresses, so a later look-up cannot
 * change the target (DNS rebinding). Fails if any address is not public.
 * Queries name servers directly: the system's look-up blocks a thread of libuv's small pool, so names with silent
 * servers would delay all other work, including the database.
 * @param nameServers null for the name servers of the machine
 */
export const publicLookup =
  (nameServers: readonly string[] | null): LookupFunction =>
  (hostname, options, callback) => {
    findPublic(hostname, nameServers).then(
      ([first, ...others]) => {
        if (options.all) callback(null, [first, ...others])
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, []),
    )
  }

type Addresses = [LookupAddress, ...LookupAddress[]]

/** IPv6 first: without an IPv6 route the connection fails at once. */
async function findPublic(hostname: string, nameServers: readonly string[] | null): Promise<Addresses> {
  // A new resolver each time: the machine's name servers may change, and responses are not cached.
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, maxTimeout: DNS_TIMEOUT_MS, tries: DNS_ATTEMPTS })
  if (nameServers !== null) resolver.setServers(nameServers)
  const [six, four] = await Promise.allSettled([resolver.resolve6(hostname), resolver.resolve4(hostname)])
  const found = [
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
  ]
  const refused = found.find(({ address }) => !isPublic(address))
  if (refused) throw new AddressRefused(`${hostname} is ${refused.address}, no public address.`)
  const [first, ...others] = found
  if (first) return [first, ...others]
  const isUnknown = [six, four].some((one) => one.status === 'rejected' && UNKNOWN.has(one.reason.code))
  throw Object.assign(new Error(`${hostname} was not found`), { code: isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN' })
}

/** Codes of c-ares for a name that does not exist, has no address, or is invalid. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

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
