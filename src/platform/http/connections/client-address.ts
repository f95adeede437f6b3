/** An IPv6 address by its network of 64 bits, which is one customer's: all of its addresses count as one. */
export function clientAddress({ ip }: { ip: string }): string {
  if (!ip.includes(':') || ip.includes('.')) return ip
  const [front = [], back = []] = ip.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - front.length - back.length).fill('0')
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}

/** How the HTTP layer tells better-auth the caller's address; from outside it is overwritten. */
export const CLIENT_ADDRESS_HEADER = 'x-claimkeeper-client-address'
