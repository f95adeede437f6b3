import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { isLossy } from '../../kernel/exact-numbers.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { OperatorError } from '../../kernel/operator-error.ts'
import { SeenCases } from '../cases/seen-cases.ts'
import { Examples } from '../field-statistics.ts'
import { lossyNumber, type RowFault } from '../log/log-row.ts'
import { EventTypes } from '../log/log-statistics.ts'

/*
 * XES, the XML format of event logs (IEEE 1849). A trace is a case. Traces and events have attributes. Lists, containers and
 * attributes of attributes are counted, but not read.
 */

const NAME = 'concept:name'
const TIME = 'time:timestamp'
/** The step of the activity that the event stands for, such as start or complete. */
const TRANSITION = 'lifecycle:transition'
/** Prefix of the attributes of the trace in the payload of an event. */
const TRACE_PREFIX = 'case:'

/** An event with the attributes of its trace. */
export interface XesEvent {
  caseId: string
  type: string
  time: string
  /** All attributes except the case, the type and the time. */
  fields: JsonObject
  fault: RowFault | null
  line: number
}

/** Counts for notes. */
export interface XesCounts {
  /** Lists, containers, attributes of attributes and elements of other names. */
  unread: number
  /** Events by their `lifecycle:transition`. */
  transitions: EventTypes
  /** Traces with the `concept:name` of an earlier trace. */
  sameName: Examples
  /** Traces without events. */
  empty: Examples
}

/** @throws OperatorError if the text is not XML or has no log */
export async function readXes(
  chunks: AsyncIterable<Buffer>,
  onEvent: (event: XesEvent) => void,
): Promise<XesCounts> {
  const reader = new XesReader(onEvent)
  for await (const chunk of chunks) reader.add(chunk)
  reader.finish()
  return reader
}

class XesReader implements XesCounts {
  readonly #parser = new SaxesParser()
  readonly #decoder = new TextDecoder('utf-8')
  readonly #onEvent: (event: XesEvent) => void
  readonly #open: string[] = []
  #trace: Attributes = new Attributes()
  #eventsInTrace = 0
  #event: Attributes | null = null
  #eventLine = 0
  unread = 0
  readonly transitions = new EventTypes()
  readonly sameName = new Examples()
  readonly empty = new Examples()
  readonly #seenNames = new SeenCases()
  #traceLine = 0

  constructor(onEvent: (event: XesEvent) => void) {
    this.#onEvent = onEvent
    this.#parser.on('opentag', (tag) => this.#openTag(tag))
    this.#parser.on('closetag', () => this.#closeTag())
    this.#parser.on('error', ({ message }) => {
      throw new OperatorError(
        `line ${this.#parser.line} of the log is not XML: ${message.replace(/^[\d:]+ /, '')}`,
      )
    })
  }

  add(chunk: Buffer): void {
    this.#parser.write(this.#decoder.decode(chunk, { stream: true }))
  }

  finish(): void {
    this.#parser.close()
  }

  #openTag({ name: qualified, attributes }: SaxesTagPlain): void {
    const name = qualified.slice(qualified.indexOf(':') + 1)
    const parent = this.#open.at(-1)
    this.#open.push(name)
    if (parent === undefined && name !== 'log')
      throw new OperatorError(`the log is XML, but not XES: it begins with <${qualified}>, not with <log>`)
    if (name === 'trace') {
      this.#trace = new Attributes()
      this.#eventsInTrace = 0
      this.#traceLine = this.#parser.line
    } else if (name === 'event') {
      this.#event = new Attributes()
      this.#eventLine = this.#parser.line
    } else if (parent === 'event') this.#addTo(this.#event, name, attributes)
    else if (parent === 'trace') this.#addToTrace(name, attributes)
    else if (PARSERS.has(parent ?? '') && (this.#open.includes('trace') || this.#open.includes('event')))
      this.unread++
  }

  #addTo(owner: Attributes | null, name: string, attributes: Record<string, string>): void {
    if (PARSERS.has(name)) owner?.add(name, attributes)
    else this.unread++
  }

  /** XES has the attributes of a trace before its events. Events that were read before would lack a later attribute. */
  #addToTrace(name: string, attributes: Record<string, string>): void {
    if (this.#eventsInTrace > 0)
      throw new OperatorError(
        `line ${this.#parser.line} of the log: an attribute of a trace follows an event of the trace; in XES it comes before the events`,
      )
    this.#addTo(this.#trace, name, attributes)
  }

  #closeTag(): void {
    const name = this.#open.pop()
    if (name === 'event' && this.#event !== null) {
      const isInTrace = this.#open.at(-1) === 'trace'
      const transition = this.#event.textOf(TRANSITION)
      if (transition !== '') this.transitions.count(transition)
      this.#onEvent(toEvent(this.#event, isInTrace ? this.#trace : new Attributes(), this.#eventLine))
      this.#event = null
      this.#eventsInTrace++
    } else if (name === 'trace') this.#closeTrace()
  }

  #closeTrace(): void {
    const name = this.#trace.textOf(NAME)
    if (this.#eventsInTrace === 0) this.empty.add(name, this.#traceLine)
    else if (name !== '' && !this.#seenNames.add(name)) this.sameName.add(name, this.#traceLine)
  }
}

/** The attributes of a trace or an event by their keys. */
class Attributes {
  readonly #texts = new Map<string, string>()
  readonly values = new Map<string, Json>()
  fault: RowFault | null = null

  add(element: string, { key, value: text }: Record<string, string>): void {
    const parsed = text === undefined ? undefined : PARSERS.get(element)?.(text)
    if (key === undefined || text === undefined || parsed === undefined) return
    if (this.#texts.has(key)) this.fault ??= repeatedAttribute(key)
    this.#texts.set(key, text)
    if (key === NAME || key === TIME) return
    if (typeof parsed === 'number' && isLossy(text.replace(/^\+/, ''), parsed))
      this.fault ??= lossyNumber(text)
    this.values.set(key, parsed)
  }

  /** The text of the attribute: a name may be a number of any length. */
  textOf(key: string): string {
    return this.#texts.get(key) ?? ''
  }
}

/** A value that does not match its type is read as text. */
const PARSERS = new Map<string, (text: string) => Json>([
  ['string', (text) => text],
  ['id', (text) => text],
  ['date', (text) => text],
  ['int', (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : text)],
  ['float', (text) => (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text)],
  ['boolean', (text) => (/^(?:true|1)$/i.test(text) ? true : /^(?:false|0)$/i.test(text) ? false : text)],
])

function toEvent(event: Attributes, trace: Attributes, line: number): XesEvent {
  const traceFields = [...trace.values].map(([key, value]): [string, Json] => [TRACE_PREFIX + key, value])
  return {
    caseId: trace.textOf(NAME),
    type: event.textOf(NAME),
    time: event.textOf(TIME),
    fields: Object.fromEntries([...traceFields, ...event.values]),
    fault: event.fault ?? trace.fault,
    line,
  }
}

const repeatedAttribute = (key: string): RowFault => ({
  reason: 'attribute that occurs twice',
  detail: `the attribute ${JSON.stringify(key)} occurs twice`,
})
