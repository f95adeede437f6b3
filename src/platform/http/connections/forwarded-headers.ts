import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** An IPv6 address by its network of 64 bits, which belongs to one customer: all of its addresses count as one. */
export function clientAddress({ ip }: { ip: string }): string {
  if (!ip.includes(':') || ip.includes('.')) return ip
  const [front = [], back = []] = ip.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - front.length - back.length).fill('0')
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}

/** Passes the client's address to better-auth. A value from outside is overwritten. */
export const CLIENT_ADDRESS_HEADER = 'x-claimkeeper-client-address'

/** A name or an address, with or without a port. */
const isPlausibleHost = (host: string): boolean => /^[\w.:[\]-]{1,255}$/.test(host)

declare module 'fastify' {
  interface FastifyInstance {
    /** The URL under which clients reach the service. Empty: derived from the request. */
    configuredPublicUrl: string
  }
}

/** The URL under which the client reaches the service, without a trailing slash. */
export function publicUrl(request: FastifyRequest): string {
  const { configuredPublicUrl } = request.server
  if (configuredPublicUrl) return configuredPublicUrl
  return isPlausibleHost(request.host ?? '') ? `${request.protocol}://${request.host}` : ''
}

/** Parses an entry. Null if it is invalid. */
type Read = (entry: string) => string | null

const onlyIf =
  (isValid: (entry: string) => boolean): Read =>
  (entry) =>
    isValid(entry) ? entry : null

/** Headers of proxies about the client. Each is a list to which every proxy may append. */
const FORMS: Record<string, Read> = {
  'x-forwarded-for': readAddress,
  'x-forwarded-proto': onlyIf((entry) => entry === 'http' || entry === 'https'),
  'x-forwarded-host': onlyIf(isPlausibleHost),
}

/**
 * Normalizes the forwarded headers and deletes invalid ones: a trusted proxy may pass on the client's own header.
 * Without a header the connection counts: the peer's address, its protocol and the Host.
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

/** `203.0.113.7:5678` and `[2001:db8::1]:443`: some proxies append the client's port, which differs by connection. */
const WITH_PORT = /^(?:\[(?<six>[^\]]+)\]|(?<four>[^:]+))(?::(?<port>\d{1,5}))?$/

/** The address of an entry, without a port. */
function readAddress(entry: string): string | null {
  if (isIP(entry) !== 0) return entry
  const { six = '', four = '', port = '0' } = WITH_PORT.exec(entry)?.groups ?? {}
  if (Number(port) > 65_535) return null
  if (isIP(six) === 6) return six
  return isIP(four) === 4 ? four : null
}

/** Whether an address is a trusted proxy. @param list addresses and networks, separated by commas */
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
