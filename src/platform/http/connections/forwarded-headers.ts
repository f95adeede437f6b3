import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** An IPv6 address by its network of 64 bits, which is one customer's: all of its addresses count as one. */
export function clientAddress({ ip }: { ip: string }): string {
  if (!ip.includes(':') || ip.includes('.')) return ip
  const [front = [], back = []] = ip.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - front.length - back.length).fill('0')
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}

/** How the HTTP layer tells better-auth the caller's address; from outside it is overwritten. */
export const CLIENT_ADDRESS_HEADER = 'x-claimkeeper-client-address'

/** A name or an address, with a port or without. */
const isPlausibleHost = (host: string): boolean => /^[\w.:[\]-]{1,255}$/.test(host)

declare module 'fastify' {
  interface FastifyInstance {
    /** Where the operator says that callers see the service; empty to go by the request. */
    configuredPublicUrl: string
  }
}

/** The address under which the caller sees the service, without a slash at its end. */
export function publicUrl(request: FastifyRequest): string {
  const { configuredPublicUrl } = request.server
  if (configuredPublicUrl) return configuredPublicUrl
  return isPlausibleHost(request.host ?? '') ? `${request.protocol}://${request.host}` : ''
}

/** What an entry means; null if it is not of its form. */
type Read = (entry: string) => string | null

const onlyIf =
  (isValid: (entry: string) => boolean): Read =>
  (entry) =>
    isValid(entry) ? entry : null

/** What a proxy says of the caller; each is a list, to which every proxy on the way may add one. */
const FORMS: Record<string, Read> = {
  'x-forwarded-for': readAddress,
  'x-forwarded-proto': onlyIf((entry) => entry === 'http' || entry === 'https'),
  'x-forwarded-host': onlyIf(isPlausibleHost),
}

/**
 * Leaves of the headers what they mean, and forgets those that are not of their form. A trusted proxy may pass on what a
 * caller wrote; without the header what is known of the connection itself counts: the peer's address, its protocol,
 * its Host.
 */
export function cleanForwardedHeaders({ headers }: IncomingMessage): void {
  for (const [name, read] of Object.entries(FORMS)) {
    const value = headers[name]
    if (value === undefined) continue
    const entries = `${value}`.split(',').map((entry) => read(entry.trim()))
    if (entries.includes(null)) delete headers[name]
    else headers[name] = entries.join(', ')
  }
}

/** `203.0.113.7:5678` and `[2001:db8::1]:443`: some proxies add the caller's port, which differs by connection. */
const WITH_PORT = /^(?:\[(?<six>[^\]]+)\]|(?<four>[^:]+))(?::(?<port>\d{1,5}))?$/

/** An IP address, with a port or without: the address alone. */
function readAddress(entry: string): string | null {
  if (isIP(entry) !== 0) return entry
  const { six = '', four = '', port = '0' } = WITH_PORT.exec(entry)?.groups ?? {}
  if (Number(port) > 65_535) return null
  if (isIP(six) === 6) return six
  return isIP(four) === 4 ? four : null
}

/** Whether an address is that of a trusted proxy. @param list addresses and networks, joined by commas */
export function proxyTrust(list: string | null): (address: string) => boolean {
  const trusted = new BlockList()
  for (const entry of list?.split(',') ?? []) {
    const [address = '', bits] = entry.trim().split('/')
    const family = familyOf(address)
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  return (address) => isIP(address) !== 0 && trusted.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
