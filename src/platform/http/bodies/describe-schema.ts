import { EXAMPLE_TIME } from '../../../kernel/iso-time.ts'

/** The keywords of JSON Schema that messages describe. */
export interface JsonSchema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly JsonSchema[]
  oneOf?: readonly { required?: readonly string[] }[]
  not?: { enum?: readonly unknown[] }
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  maxProperties?: number
  properties?: Record<string, unknown>
  patternProperties?: Record<string, unknown>
  examples?: readonly unknown[]
}

/** What the schema accepts, to follow "must be": `an integer from 1 to 100`. */
export function acceptedForm(schema: JsonSchema): string {
  if (schema.enum) return `one of ${jsonList(schema.enum)}`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf) return schema.anyOf.map(acceptedForm).join(' or ')
  const types = [schema.type ?? []].flat()
  return types.map((type) => formOfType(type, schema)).join(' or ') || 'another value'
}

function formOfType(type: string, schema: JsonSchema): string {
  switch (type) {
    case 'string':
      return formOfString(schema)
    case 'integer':
    case 'number': {
      const range = rangeInWords(schema)
      return `${type === 'integer' ? 'an integer' : 'a number'}${range && ` ${range}`}`
    }
    case 'array': {
      const items = itemsInWords(schema)
      return `an array${items && ` of ${items}`}`
    }
    case 'object':
      return 'an object'
    case 'boolean':
      return 'true or false'
    default:
      return type
  }
}

function formOfString({ format, pattern, minLength, maxLength }: JsonSchema): string {
  const rule = pattern === undefined ? undefined : ruleOf(pattern)
  if (rule !== undefined) return rule
  if (format === 'date-time') return `a time as ISO 8601 with a zone, such as ${EXAMPLE_TIME}`
  const count = countInWords(minLength, maxLength)
  return `a string${count && ` of ${count} characters`}`
}

/** `1 to 255`, `up to 500`, `at least 1`; empty if any number is accepted. */
export function countInWords(min = 0, max?: number): string {
  if (max === undefined) return min === 0 ? '' : `at least ${min}`
  return min === 0 ? `up to ${max}` : `${min} to ${max}`
}

/** `1 to 1000 items`, `at least one item`; empty if any number is accepted. */
export function itemsInWords({ minItems, maxItems }: JsonSchema): string {
  if (minItems === 1 && maxItems === undefined) return 'at least one item'
  const count = countInWords(minItems, maxItems)
  return count && `${count} items`
}

/** `from 1 to 100`; empty if there are no bounds. */
function rangeInWords({
  minimum: min,
  maximum: max,
  exclusiveMinimum: above,
  exclusiveMaximum: below,
}: JsonSchema): string {
  if (above !== undefined && below !== undefined) return `above ${above} and below ${below}`
  if (min !== undefined && max !== undefined) return `from ${min} to ${max}`
  if (min !== undefined) return `of at least ${min}`
  return max === undefined ? '' : `of at most ${max}`
}

export const jsonList = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(', ')

/* The rules of patterns in words, for messages: a regular expression is hard to read. */

const RULES = new Map<string, string>()

/** Registers the rule of a schema's pattern, and returns the pattern. @param rule follows "must be" */
export function withRule(pattern: string, rule: string): string {
  RULES.set(pattern, rule)
  return pattern
}

const ruleOf = (pattern: string): string | undefined => RULES.get(pattern)
