import { MAX_EVENT_NAME_LENGTH, MAX_PAYLOAD_BYTES } from '../../core/claims/event.ts'
import { lengthInCharacters } from '../../kernel/length-in-characters.ts'
import type { TimeReader } from '../time/time-reader.ts'
import type { RowFault } from './log-row.ts'

export function faultOfNames(caseId: string, type: string): RowFault | null {
  if (caseId === '') return { reason: 'no case', detail: 'the row has no case' }
  if (type === '') return { reason: 'no event type', detail: 'the row has no event type' }
  if (type.length <= MAX_EVENT_NAME_LENGTH) return null
  const length = lengthInCharacters(type)
  if (length <= MAX_EVENT_NAME_LENGTH) return null
  const detail = `the event type has ${length} characters; at most ${MAX_EVENT_NAME_LENGTH} are allowed`
  return { reason: 'event type too long', detail }
}

export function badTime(reason: 'bad time' | 'bad opening time', text: string, times: TimeReader): RowFault {
  return { reason, detail: text.trim() === '' ? 'the row has no time' : times.explain(text) }
}

export function lossyNumber(number: string): RowFault {
  const detail = `the number ${number} cannot be stored exactly, so the service refuses it: send it as a string`
  return { reason: 'number out of range', detail }
}

export function tooLarge(bytes: number): RowFault {
  const detail = `the payload has ${bytes} bytes as JSON; at most ${MAX_PAYLOAD_BYTES} are allowed`
  return { reason: 'payload too large', detail }
}
