import { isUtf8 } from 'node:buffer'
import { InvalidArgumentError } from 'commander'
import { OperatorError } from '../../kernel/operator-error.ts'
import type { RowFault } from './log-row.ts'
import { peekHead } from './open-log.ts'

/* Converts a log of any encoding to UTF-8. Invalid bytes become a marker character, which makes their row a bad row. */

/** A noncharacter (Unicode, 23.7), which no text contains. */
const MARK = '\uFDD0'
const MARK_BYTES = Buffer.from(MARK).toString('latin1')

/** In bytes decoded as Latin-1: a multi-byte character of UTF-8, or an invalid byte. */
const UTF8_CHARACTER =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g

/** Enough for a byte order mark and an XML declaration. */
const START_BYTES = 256
const XML_ENCODING = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/

const BYTE_ORDER_MARKS: [encoding: string, bytes: number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** The name in the WHATWG Encoding Standard. "latin1" is windows-1252 there. */
export function parseEncoding(label: string): string {
  try {
    return new TextDecoder(label.trim()).encoding
  } catch {
    throw new InvalidArgumentError('It must be an encoding such as utf-8, utf-16le, latin1 or windows-1252.')
  }
}

/** Converts the chunks of a log to UTF-8 without a byte order mark. */
export class TextDecoding {
  encoding: string | null
  /** A description of the first invalid byte or half of a surrogate pair. */
  #firstInvalid: string | null = null

  /** @param encoding null to detect it: by a byte order mark, as UTF-16 or by an XML declaration, else UTF-8 */
  constructor(encoding: string | null) {
    this.encoding = encoding
  }

  /** Whether the log has had invalid bytes so far. */
  get isDamaged(): boolean {
    return this.#firstInvalid !== null
  }

  async *decode(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const { head, all } = await peekHead(chunks, START_BYTES)
    const decode = this.#decoderFor(head)
    let markBytes = markedEncoding(head)?.[1].length ?? 0
    for await (const chunk of all) {
      yield decode(chunk.subarray(markBytes), false)
      markBytes -= Math.min(markBytes, chunk.length)
    }
    yield decode(Buffer.alloc(0), true)
  }

  /** Why the text cannot be in an event (§8); null if it can. */
  faultOf(text: string): RowFault | null {
    if (text.isWellFormed() && !text.includes('\0') && !(this.isDamaged && text.includes(MARK))) return null
    if (this.isDamaged && text.includes(MARK)) return this.#encodingFault()
    const what = text.includes('\0') ? 'a NUL character (U+0000)' : 'half of a surrogate pair'
    return { reason: 'character that no string may have', detail: `the row holds ${what}` }
  }

  #encodingFault(): RowFault {
    const proposal =
      this.encoding === 'utf-8'
        ? '; for another encoding give --encoding, for example --encoding windows-1252'
        : ''
    const detail = `the row is not valid ${this.encoding?.replace('utf', 'UTF')} (first in the log: ${this.#firstInvalid})${proposal}`
    return { reason: 'not valid in the encoding', detail }
  }

  #decoderFor(start: Buffer): ChunkDecoder {
    this.encoding =
      markedEncoding(start)?.[0] ??
      this.encoding ??
      unmarkedUtf16(start) ??
      declaredEncoding(start) ??
      'utf-8'
    const onInvalid = (what: string) => {
      this.#firstInvalid ??= what
    }
    if (this.encoding === 'utf-32le')
      throw new OperatorError('the log is in UTF-32, which is not read: convert it to UTF-8')
    if (this.encoding === 'utf-8') return utf8Decoder(onInvalid)
    if (this.encoding.startsWith('utf-16')) return utf16Decoder(this.encoding === 'utf-16be', onInvalid)
    return otherDecoder(this.encoding, onInvalid)
  }
}

type ChunkDecoder = (chunk: Buffer, isLast: boolean) => Buffer
type OnInvalid = (what: string) => void

const markedEncoding = (start: Buffer) =>
  BYTE_ORDER_MARKS.find(([, bytes]) => bytes.every((byte, i) => start[i] === byte))

/** UTF-16 without a byte order mark: a log begins with ASCII, so every second byte is 0. */
function unmarkedUtf16(start: Buffer): string | null {
  const [first, second, third, fourth] = start
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le'
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? 'utf-16be' : null
}

/** A declaration that can be read byte by byte is not in UTF-16, whatever it says: .NET writes "utf-16" into UTF-8. */
function declaredEncoding(start: Buffer): string | null {
  const label = XML_ENCODING.exec(start.toString('latin1'))?.[1]
  if (label === undefined) return null
  try {
    const { encoding } = new TextDecoder(label)
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding
  } catch {
    throw new OperatorError(`the log declares the encoding "${label}", which is not known: give --encoding`)
  }
}

function utf8Decoder(onInvalid: OnInvalid): ChunkDecoder {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk, isLast) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = bytes.length - (isLast ? 0 : unfinishedBytes(bytes))
    rest = bytes.subarray(end)
    const whole = bytes.subarray(0, end)
    return isUtf8(whole) ? whole : markInvalidBytes(whole, onInvalid)
  }
}

/** The number of bytes at the end that belong to a character of the next chunk. */
function unfinishedBytes(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count] as number
    if (byte >= 0x80 && byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > count ? count : 0
  }
  return 0
}

function markInvalidBytes(bytes: Buffer, onInvalid: OnInvalid): Buffer {
  const marked = bytes.toString('latin1').replace(UTF8_CHARACTER, (found) => {
    if (found.length > 1) return found
    onInvalid(`the byte 0x${found.charCodeAt(0).toString(16).toUpperCase()}`)
    return MARK_BYTES
  })
  return Buffer.from(marked, 'latin1')
}

function utf16Decoder(isBigEndian: boolean, onInvalid: OnInvalid): ChunkDecoder {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk, isLast) => {
    const bytes = Buffer.concat([rest, chunk])
    let end = bytes.length - (bytes.length % 2)
    const highByte = bytes[isBigEndian ? end - 2 : end - 1] ?? 0
    if (!isLast && highByte >= 0xd8 && highByte < 0xdc) end -= 2
    rest = bytes.subarray(end)
    const whole = bytes.subarray(0, end)
    const text = (isBigEndian ? whole.swap16() : whole).toString('utf16le')
    const hasHalf = isLast && rest.length > 0
    if (text.isWellFormed() && !hasHalf) return Buffer.from(text)
    onInvalid('half of a character')
    return Buffer.from(text.replace(/\p{Surrogate}/gu, MARK) + (hasHalf ? MARK : ''))
  }
}

function otherDecoder(encoding: string, onInvalid: OnInvalid): ChunkDecoder {
  const decoder = new TextDecoder(encoding)
  return (chunk, isLast) => {
    const text = decoder.decode(chunk, { stream: !isLast })
    if (!text.includes('\uFFFD')) return Buffer.from(text)
    onInvalid('a byte without a character')
    return Buffer.from(text.replaceAll('\uFFFD', MARK))
  }
}
