import { isIP } from 'node:net'

/* Parsers of settings. Each throws a message that completes "NAME must be …". */

export interface Setting<T, F extends string | null> {
  name: string
  /** The default as the text of the environment; null for none. */
  fallback: F
  doc: string
  /** Throws a message that completes "NAME must be …". */
  parse: (text: string) => T
}

export const setting = <T, F extends string | null>(definition: Setting<T, F>): Setting<T, F> => definition

export const wholeNumber = (from: number, to: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < from || value > to)
    throw new Error(`a whole number from ${from} to ${to}`)
  return value
}

export const oneOf =
  <T extends string>(...values: T[]) =>
  (text: string): T => {
    if (!values.includes(text as T)) throw new Error(`one of ${values.join(', ')}`)
    return text as T
  }

export const trueOrFalse = (text: string) => oneOf('true', 'false')(text) === 'true'

export const urlOf =
  (...protocols: string[]) =>
  (text: string): string => {
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
      throw new Error(`a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
    }
    return text.replace(/\/+$/, '')
  }

export function addresses(text: string): string {
  for (const part of text.split(',')) {
    const [address = '', bits = '0', ...rest] = part.trim().split('/')
    const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
    if (rest.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > maxBits) {
      throw new Error('IP addresses or networks such as 10.0.0.0/8, joined by commas')
    }
  }
  return text
}

export function secondsList(text: string): number[] {
  const seconds = text.split(',').map(Number)
  if (!/^\d{1,7}(\.\d{1,3})?(,\d{1,7}(\.\d{1,3})?){0,29}$/.test(text))
    throw new Error('up to 30 numbers of seconds, joined by commas')
  return seconds
}

export function portsBelow1024(text: string): number[] {
  const ports = text.split(',').map(Number)
  if (!/^ *\d{1,4} *(, *\d{1,4} *)*$/.test(text) || ports.some((port) => port < 1 || port > 1_023))
    throw new Error('ports from 1 to 1023, joined by commas')
  return ports
}

export function share(text: string): number {
  const value = Number(text)
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(text) || value > 1) throw new Error('a number from 0 to 1')
  return value
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const HEADER_VALUE = /^[\x20-\x7e]*$/

/** Headers in the form of OpenTelemetry: `name=value`, joined by commas. */
export function headersOf(text: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const pair of text.split(',')) {
    const [name = '', ...rest] = pair.split('=')
    const value = decoded(rest.join('=').trim())
    if (rest.length === 0 || !HEADER_NAME.test(name.trim()) || value === null) {
      throw new Error('headers such as name=value, joined by commas, their values percent-encoded')
    }
    headers[name.trim()] = value
  }
  return headers
}

function decoded(text: string): string | null {
  try {
    const value = decodeURIComponent(text)
    return HEADER_VALUE.test(value) ? value : null
  } catch {
    return null
  }
}
