import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { isPlausibleHost } from './public-url.ts'

/** What a proxy says of the caller; each is a list, to which every proxy on the way may add one. */
const FORMS: Record<string, (entry: string) => boolean> = {
  'x-forwarded-for': (entry) => isIP(entry) !== 0,
  'x-forwarded-proto': (entry) => entry === 'http' || entry === 'https',
  'x-forwarded-host': isPlausibleHost,
}

/**
 * Forgets the headers that are not of their form. A trusted proxy may pass on what a caller wrote; without the header
 * what is known of the connection itself counts: the peer's address, its protocol, its Host.
 */
export function cleanForwardedHeaders({ headers }: IncomingMessage): void {
  for (const [name, isValid] of Object.entries(FORMS)) {
    const value = headers[name]
    if (value === undefined) continue
    const entries = `${value}`.split(',').map((entry) => entry.trim())
    if (!entries.every(isValid)) delete headers[name]
  }
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
