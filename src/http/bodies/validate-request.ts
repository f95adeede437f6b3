import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifySchemaCompiler } from 'fastify'
import { validateContract } from '../../domain/contract/validate-contract.ts'
import { type Issue, MAX_ISSUES } from '../../domain/issue.ts'
import { isJsonObject } from '../../domain/json.ts'
import { LONGEST_METADATA_KEY } from '../../domain/metadata.ts'
import { parseIsoTime } from '../../domain/time/iso-time.ts'
import { validationError } from '../../errors.ts'
import { countOf, formOf, itemsOf, listed, type ToldSchema } from './describe-schema.ts'
import { flawOfText, join } from './json-flaws.ts'

/** That the schemas are well-formed is held by a test of openapi.json: the schema of schemas costs each start 60 ms. */
const PLAIN = { strict: false, meta: false, validateSchema: false } as const
const OPTIONS = { ...PLAIN, allErrors: true, verbose: true } as const

/**
 * Compiles the route's schemas into validators whose errors are ours. A contract is validated by the domain
 * itself, which names the exact node; the published schema of it says the same (held by a test).
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const body = withContract(withFormats(new Ajv2020(OPTIONS)))
  // Says yes or no, and is asked first: most bodies are valid, and reasons cost time.
  const plainBody = withContract(withFormats(new Ajv2020(PLAIN)))
  // Path and query are text, so numbers in them are converted.
  const text = withFormats(new Ajv2020({ ...OPTIONS, coerceTypes: true }))

  return ({ schema, httpPart }) => {
    const isBody = httpPart === 'body'
    // Compiled when first needed: a start is quicker by it.
    let isValid: ValidateFunction | null = null
    let validate: ValidateFunction | null = null
    return (data: unknown) => {
      if (httpPart === 'querystring') restorePlus(data as Record<string, unknown>, schema)
      const flaws = isBody ? [] : flawsOfParameters(data as Record<string, unknown>, schema)
      if (flaws.length > 0) return { error: validationError(flaws) }
      if (isBody) isValid ??= plainBody.compile(schema)
      if (isValid?.(data)) return { value: data }
      validate ??= (isBody ? body : text).compile(schema)
      if (validate(withFewStrangers(data, schema))) return { value: data }
      return { error: validationError(toIssues(validate.errors ?? [])) }
    }
  }
}

/** Those of requests. A UUID has a pattern beside its format. */
const withFormats = (ajv: Ajv2020): Ajv2020 =>
  ajv.addFormat('date-time', (text) => parseIsoTime(text) instanceof Date).addFormat('uuid', true)

/** A body of a hundred thousand fields that nobody knows must not make as many errors: a few are named. */
function withFewStrangers(data: unknown, schema: object): unknown {
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

function withContract(ajv: Ajv2020): Ajv2020 {
  const validate = (
    _: unknown,
    contract: unknown,
    __: unknown,
    context?: { instancePath: string },
  ): boolean => {
    const issues = validateContract(contract, toPath(context?.instancePath ?? ''))
    keyword.validate.errors = issues.map((issue) => ({
      keyword: 'contract',
      message: issue.message,
      params: issue,
    }))
    return issues.length === 0
  }
  const keyword = {
    keyword: 'contract',
    validate: validate as typeof validate & { errors?: Partial<ErrorObject>[] },
  }
  ajv.addKeyword({ ...keyword, errors: 'full' })
  ajv.addSchema({ $id: 'Contract', contract: true })
  return ajv
}

type Parameters = Record<string, ToldSchema>

/** In a query a + that is not written %2B stands for a blank. If only with the + it is a time, that was meant. */
function restorePlus(query: Record<string, unknown>, schema: object): void {
  const { properties = {} } = schema as { properties?: Parameters }
  for (const [name, { format }] of Object.entries(properties)) {
    const value = query[name]
    if (format !== 'date-time' || typeof value !== 'string' || parseIsoTime(value) instanceof Date) continue
    const restored = value.replace(/ (?=[\d:]+$)/, '+')
    if (parseIsoTime(restored) instanceof Date) query[name] = restored
  }
}

/** What conversion would let through: text that cannot be stored, and odd spellings of a number (0x10). */
function flawsOfParameters(parameters: Record<string, unknown>, schema: object): Issue[] {
  type Parts = { properties?: Parameters; patternProperties?: Parameters }
  const { properties = {}, patternProperties = {} } = schema as Parts
  const ofPattern = (name: string) =>
    Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern).test(name))?.[1]
  return Object.entries(parameters ?? {}).flatMap(([path, value]) => {
    const flawOfName = flawOfText(path)
    if (flawOfName) return [{ path: '', message: `has a parameter whose name ${flawOfName.message}` }]
    const told = properties[path] ?? (Array.isArray(value) ? ofPattern(path) : undefined)
    if (told && Array.isArray(value)) return [{ path, message: onlyOnce(told, value.length) }]
    if (typeof value !== 'string') return []
    if (told?.type === 'integer' && !/^-?\d+$/.test(value))
      return [{ path, message: `must be ${formOf(told)}` }]
    const flaw = flawOfText(value)
    return flaw ? [{ path, message: flaw.message }] : []
  })
}

/** A parameter that is there several times. */
function onlyOnce(schema: ToldSchema, times: number): string {
  const list = schema.examples?.find((example) => `${example}`.includes(','))
  const joined = list === undefined ? '' : `; several values are joined by commas: ${list}`
  return `must be ${formOf(schema)}, not a list: it is there ${times} times${joined}`
}

function toIssues(errors: ErrorObject[]): Issue[] {
  const ofAnotherType = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath),
  )
  return errors
    .filter((error) => saysMost(error, ofAnotherType))
    .slice(0, MAX_ISSUES)
    .map(toIssue)
}

/** What fails together with a value says less: the alternatives of a oneOf, a key with a flaw, all else of a value of another type. */
const saysMost = ({ schemaPath, keyword, instancePath }: ErrorObject, ofAnotherType: Set<string>): boolean =>
  !/\/(anyOf|oneOf|not)\/./.test(schemaPath) &&
  keyword !== 'propertyNames' &&
  (keyword === 'type' || !ofAnotherType.has(instancePath))

function toIssue(error: ErrorObject): Issue {
  const { path = toPath(error.instancePath) } = error.params as { path?: string }
  const at = (key: string) => join(toPath(error.instancePath), key)
  switch (error.keyword) {
    case 'contract':
      return { path, message: error.message as string }
    case 'required':
      return { path: at(error.params.missingProperty), message: 'is required' }
    case 'additionalProperties': {
      const name: string = error.params.additionalProperty
      return { path: at(name), message: strangerIn(schemaOf(error), name) }
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

/** The rule that the value broke, by the schema that states it. */
function messageOf(error: ErrorObject): string {
  const { keyword, params, data } = error
  const schema = schemaOf(error)
  switch (keyword) {
    case 'type':
      return `must be ${formOf(schema)}`
    case 'minLength':
    case 'maxLength':
      return `must have ${countOf(schema.minLength, schema.maxLength)} characters`
    case 'format': {
      const flaw = schema.format === 'date-time' ? parseIsoTime(String(data)) : null
      return typeof flaw === 'string' ? flaw : `must be ${formOf(schema)}`
    }
    case 'minItems':
    case 'maxItems': {
      const rule = `must have ${itemsOf(schema)}`
      return [schema.type].flat().includes('null') ? `${rule}; leave it out, or send null, for all` : rule
    }
    case 'uniqueItems':
      return `has ${JSON.stringify((data as unknown[])[params.i])} twice; each item may be there once`
    case 'minProperties':
      return `must have at least one of ${namesOf(schema)}`
    case 'maxProperties':
      return `must have ${countOf(schema.minProperties, schema.maxProperties)} keys`
    case 'oneOf':
      return `needs exactly one of ${(schema.oneOf ?? []).flatMap(({ required = [] }) => required).join(', ')}`
    case 'not':
      return schema.not?.enum
        ? `is reserved for the service, as are all of ${listed(schema.not.enum)}; give the event another type`
        : 'is reserved for the service; give the field another name'
    default:
      return `must be ${formOf(schema)}`
  }
}

const schemaOf = ({ parentSchema = {} }: ErrorObject) => parentSchema as ToldSchema

function strangerIn(schema: ToldSchema, name: string): string {
  const isFilter = schema.patternProperties !== undefined && name.startsWith('metadata')
  if (isFilter) return `must name a key of 1 to ${LONGEST_METADATA_KEY} characters, such as metadata[order]`
  return `is not known here; known: ${namesOf(schema)}`
}

const namesOf = ({ properties = {} }: ToldSchema) => Object.keys(properties).join(', ') || 'nothing'

/** `/contract/conditions/0` as `contract.conditions[0]`. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, key) => join(path, /^\d+$/.test(key) ? Number(key) : key), '')
}
