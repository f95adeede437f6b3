import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifySchemaCompiler } from 'fastify'
import {
  validateExceptions,
  validateHolidays,
  validateWeekly,
} from '../../../core/calendars/validate-calendar.ts'
import { validateContract } from '../../../core/contracts/validate-contract.ts'
import { validationError } from '../../../kernel/errors.ts'
import { parseIsoTime } from '../../../kernel/iso-time.ts'
import type { Issue } from '../../../kernel/issue.ts'
import { isJsonObject } from '../../../kernel/json.ts'
import { flawOfText } from '../../../kernel/json-flaws.ts'
import { MAX_ISSUES, MAX_METADATA_KEY_LENGTH } from '../../../kernel/limits.ts'
import { acceptedForm, countInWords, itemsInWords, type JsonSchema, jsonList } from './describe-schema.ts'
import { join } from './json-flaws.ts'

/** A test of openapi.json checks that the schemas are well-formed. Compiling the meta-schema would cost 60 ms at each start. */
const PLAIN = { strict: false, meta: false, validateSchema: false } as const
const OPTIONS = { ...PLAIN, allErrors: true, verbose: true } as const

/**
 * Compiles the route's schemas into validators that return errors of the catalogue. The domain validates contracts and the
 * hours of calendars, because it names the exact node. A test checks that the published schema of contracts accepts the same.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const body = withDomainSchemas(withFormats(new Ajv2020(OPTIONS)))
  // Runs first and collects no reasons: most bodies are valid.
  const plainBody = withDomainSchemas(withFormats(new Ajv2020(PLAIN)))
  // Path and query are strings, so numbers in them are converted.
  const text = withFormats(new Ajv2020({ ...OPTIONS, coerceTypes: true }))

  return ({ schema, httpPart }) => {
    const isBody = httpPart === 'body'
    // Compiled at the first use, to keep the start fast.
    let isValid: ValidateFunction | null = null
    let validate: ValidateFunction | null = null
    return (data: unknown) => {
      if (httpPart === 'querystring') restorePlusSigns(data as Record<string, unknown>, schema)
      const flaws = isBody ? [] : flawsOfParameters(data as Record<string, unknown>, schema)
      if (flaws.length > 0) return { error: validationError(flaws) }
      if (isBody) isValid ??= plainBody.compile(schema)
      if (isValid?.(data)) return { value: data }
      validate ??= (isBody ? body : text).compile(schema)
      if (validate(limitUnknownFields(data, schema))) return { value: data }
      return { error: validationError(toIssues(validate.errors ?? [])) }
    }
  }
}

/** The formats that requests use. The pattern beside `uuid` validates UUIDs. */
const withFormats = (ajv: Ajv2020): Ajv2020 =>
  ajv.addFormat('date-time', (text) => parseIsoTime(text) instanceof Date).addFormat('uuid', true)

/** Removes all but the first unknown fields: a body with 100,000 of them would make 100,000 errors. */
function limitUnknownFields(data: unknown, schema: object): unknown {
  const { properties, additionalProperties } = schema as {
    properties?: object
    additionalProperties?: boolean
  }
  if (additionalProperties !== false || !isJsonObject(data)) return data
  const names = Object.keys(data)
  if (names.length <= 2 * MAX_ISSUES) return data
  const isKnown = (name: string) => Object.hasOwn(properties ?? {}, name)
  const named = [...names.filter(isKnown), ...names.filter((name) => !isKnown(name)).slice(0, MAX_ISSUES)]
  return Object.fromEntries(named.map((name) => [name, data[name]]))
}

/** The component schemas that the domain validates. */
const DOMAIN_VALIDATORS: Record<string, (value: unknown, path: string) => Issue[]> = {
  Contract: validateContract,
  WeeklyHours: validateWeekly,
  Holidays: validateHolidays,
  ExceptionalHours: validateExceptions,
}

function withDomainSchemas(ajv: Ajv2020): Ajv2020 {
  const validate = (
    component: string,
    value: unknown,
    _: unknown,
    context?: { instancePath: string },
  ): boolean => {
    const issues = DOMAIN_VALIDATORS[component]?.(value, toPath(context?.instancePath ?? '')) ?? []
    keyword.validate.errors = issues.map((issue) => ({
      keyword: 'domain',
      message: issue.message,
      params: issue,
    }))
    return issues.length === 0
  }
  const keyword = {
    keyword: 'domain',
    validate: validate as typeof validate & { errors?: Partial<ErrorObject>[] },
  }
  ajv.addKeyword({ ...keyword, errors: 'full' })
  for (const $id of Object.keys(DOMAIN_VALIDATORS)) ajv.addSchema({ $id, domain: $id })
  return ajv
}

type Parameters = Record<string, JsonSchema>

/** In a query, a `+` that is not encoded as %2B decodes to a space. Restores it where only the `+` makes the value a time. */
function restorePlusSigns(query: Record<string, unknown>, schema: object): void {
  const { properties = {} } = schema as { properties?: Parameters }
  for (const [name, { format }] of Object.entries(properties)) {
    const value = query[name]
    if (format !== 'date-time' || typeof value !== 'string' || parseIsoTime(value) instanceof Date) continue
    const restored = value.replace(/ (?=[\d:]+$)/, '+')
    if (parseIsoTime(restored) instanceof Date) query[name] = restored
  }
}

/** Finds what type coercion would accept: strings that cannot be stored, and other notations of a number (0x10). */
function flawsOfParameters(parameters: Record<string, unknown>, schema: object): Issue[] {
  type Parts = { properties?: Parameters; patternProperties?: Parameters }
  const { properties = {}, patternProperties = {} } = schema as Parts
  const patternProperty = (name: string) =>
    Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern).test(name))?.[1]
  return Object.entries(parameters ?? {}).flatMap(([path, value]) => {
    const flawOfName = flawOfText(path)
    if (flawOfName) return [{ path: '', message: `has a parameter whose name ${flawOfName.message}` }]
    const known = properties[path] ?? (Array.isArray(value) ? patternProperty(path) : undefined)
    if (known && Array.isArray(value)) return [{ path, message: repeatedMessage(known, value.length) }]
    if (typeof value !== 'string') return []
    if (known?.type === 'integer' && !/^-?\d+$/.test(value))
      return [{ path, message: `must be ${acceptedForm(known)}` }]
    const flaw = flawOfText(value)
    return flaw ? [{ path, message: flaw.message }] : []
  })
}

/** For a parameter that is given several times. */
function repeatedMessage(schema: JsonSchema, times: number): string {
  const list = schema.examples?.find((example) => `${example}`.includes(','))
  const joined = list === undefined ? '' : `; join several values with commas: ${list}`
  return `must be given once, as ${acceptedForm(schema)}; it is given ${times} times${joined}`
}

function toIssues(errors: ErrorObject[]): Issue[] {
  const wrongTypes = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath),
  )
  return errors
    .filter((error) => isMostSpecific(error, wrongTypes))
    .slice(0, MAX_ISSUES)
    .map(toIssue)
}

/** Leaves out errors that only follow from another one: the alternatives of a oneOf, an invalid key, and further rules of a value of the wrong type. */
const isMostSpecific = (
  { schemaPath, keyword, instancePath }: ErrorObject,
  wrongTypes: Set<string>,
): boolean =>
  !/\/(anyOf|oneOf|not)\/./.test(schemaPath) &&
  keyword !== 'propertyNames' &&
  (keyword === 'type' || !wrongTypes.has(instancePath))

function toIssue(error: ErrorObject): Issue {
  const { path = toPath(error.instancePath) } = error.params as { path?: string }
  const at = (key: string) => join(toPath(error.instancePath), key)
  switch (error.keyword) {
    case 'domain':
      return { path, message: error.message as string }
    case 'required':
      return { path: at(error.params.missingProperty), message: 'is required' }
    case 'additionalProperties': {
      const name: string = error.params.additionalProperty
      return { path: at(name), message: unknownFieldMessage(schemaOf(error), name) }
    }
    default: {
      const message = messageOf(error)
      return error.propertyName === undefined
        ? { path: path || 'body', message }
        : {
            path: path || 'body',
            message: `has the key ${JSON.stringify(error.propertyName)}, which ${message}`,
          }
    }
  }
}

/** The rule that the value violates. */
function messageOf(error: ErrorObject): string {
  const { keyword, params, data } = error
  const schema = schemaOf(error)
  switch (keyword) {
    case 'type':
      return `must be ${acceptedForm(schema)}`
    case 'minLength':
    case 'maxLength':
      return `must have ${countInWords(schema.minLength, schema.maxLength)} characters`
    case 'format': {
      const flaw = schema.format === 'date-time' ? parseIsoTime(String(data)) : null
      return typeof flaw === 'string' ? flaw : `must be ${acceptedForm(schema)}`
    }
    case 'minItems':
    case 'maxItems': {
      const rule = `must have ${itemsInWords(schema)}`
      return [schema.type].flat().includes('null') ? `${rule}; omit it or send null to accept all` : rule
    }
    case 'uniqueItems':
      return `has ${JSON.stringify((data as unknown[])[params.i])} twice; items must be unique`
    case 'minProperties':
      return `must have at least one of ${namesOf(schema)}`
    case 'maxProperties':
      return `must have ${countInWords(schema.minProperties, schema.maxProperties)} keys`
    case 'oneOf':
      return `needs exactly one of ${(schema.oneOf ?? []).flatMap(({ required = [] }) => required).join(', ')}`
    case 'not':
      return schema.not?.enum
        ? `is reserved for the service, like all of ${jsonList(schema.not.enum)}; give the event another type`
        : 'is reserved for the service; give the field another name'
    default:
      return `must be ${acceptedForm(schema)}`
  }
}

const schemaOf = ({ parentSchema = {} }: ErrorObject) => parentSchema as JsonSchema

function unknownFieldMessage(schema: JsonSchema, name: string): string {
  const isFilter = schema.patternProperties !== undefined && name.startsWith('metadata')
  if (isFilter)
    return `must name a key of 1 to ${MAX_METADATA_KEY_LENGTH} characters, such as metadata[order]`
  return `is not known here; known: ${namesOf(schema)}`
}

const namesOf = ({ properties = {} }: JsonSchema) => Object.keys(properties).join(', ') || 'nothing'

/** `/contract/conditions/0` as `contract.conditions[0]`. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, key) => join(path, /^\d+$/.test(key) ? Number(key) : key), '')
}
