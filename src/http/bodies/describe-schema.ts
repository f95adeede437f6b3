import { SOME_TIME } from '../../domain/time/iso-time.ts'
import { ruleOf } from './pattern-rules.ts'

/** A JSON Schema, as far as messages tell of it. */
export interface ToldSchema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly ToldSchema[]
  oneOf?: readonly { required?: readonly string[] }[]
  not?: { enum?: readonly unknown[] }
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  maxProperties?: number
  properties?: Record<string, unknown>
  patternProperties?: Record<string, unknown>
  examples?: readonly unknown[]
}

/** What the schema accepts, as it stands behind "must be": `an integer from 1 to 100`. */
export function formOf(schema: ToldSchema): string {
  if (schema.enum) return `one of ${listed(schema.enum)}`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf) return schema.anyOf.map(formOf).join(' or ')
  const types = [schema.type ?? []].flat()
  return types.map((type) => formOfType(type, schema)).join(' or ') || 'another value'
}

function formOfType(type: string, schema: ToldSchema): string {
  switch (type) {
    case 'string':
      return formOfText(schema)
    case 'integer':
    case 'number': {
      const range = rangeOf(schema.minimum, schema.maximum)
      return `${type === 'integer' ? 'an integer' : 'a number'}${range && ` ${range}`}`
    }
    case 'array': {
      const items = itemsOf(schema)
      return `a list${items && ` of ${items}`}`
    }
    case 'object':
      return 'an object'
    case 'boolean':
      return 'true or false'
    default:
      return type
  }
}

function formOfText({ format, pattern, minLength, maxLength }: ToldSchema): string {
  const rule = pattern === undefined ? undefined : ruleOf(pattern)
  if (rule !== undefined) return rule
  if (format === 'date-time') return `a time as ISO 8601 with a zone, such as ${SOME_TIME}`
  const count = countOf(minLength, maxLength)
  return `a string${count && ` of ${count} characters`}`
}

/** `1 to 255`, `up to 500`, `at least 1`; empty for any. */
export function countOf(least = 0, most?: number): string {
  if (most === undefined) return least === 0 ? '' : `at least ${least}`
  return least === 0 ? `up to ${most}` : `${least} to ${most}`
}

/** `1 to 1000 items`, `at least one item`; empty for any. */
export function itemsOf({ minItems, maxItems }: ToldSchema): string {
  if (minItems === 1 && maxItems === undefined) return 'at least one item'
  const count = countOf(minItems, maxItems)
  return count && `${count} items`
}

/** `from 1 to 100`; empty for any. */
function rangeOf(least?: number, most?: number): string {
  if (least !== undefined && most !== undefined) return `from ${least} to ${most}`
  if (least !== undefined) return `of at least ${least}`
  return most === undefined ? '' : `of at most ${most}`
}

export const listed = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(', ')
