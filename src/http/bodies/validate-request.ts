import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import { validateContract } from '../../domain/contract/validate-contract.ts'
import { type Issue, MAX_ISSUES } from '../../domain/issue.ts'
import { isJsonObject } from '../../domain/json.ts'
import { UUID_PATTERN } from '../../domain/uuid.ts'
import { validationError } from '../../errors.ts'
import { flawOfText, join } from './json-flaws.ts'

/** That the schemas are well-formed is held by a test of openapi.json: the schema of schemas costs each start 60 ms. */
const PLAIN = { strict: false, meta: false, validateSchema: false } as const
const OPTIONS = { ...PLAIN, allErrors: true, verbose: true } as const

/**
 * Compiles the route's schemas into validators whose errors are ours. A contract is validated by the domain
 * itself, which names the exact node; the published schema of it says the same (held by a test).
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const body = withContract(addFormats.default(new Ajv2020(OPTIONS), ['date-time']))
  // Says yes or no, and is asked first: most bodies are valid, and reasons cost time.
  const plainBody = withContract(addFormats.default(new Ajv2020(PLAIN), ['date-time']))
  // Path and query are text, so numbers in them are converted.
  const text = addFormats.default(new Ajv2020({ ...OPTIONS, coerceTypes: true }), ['date-time'])

  return ({ schema, httpPart }) => {
    const isBody = httpPart === 'body'
    // Compiled when first needed: a start is quicker by it.
    let isValid: ValidateFunction | null = null
    let validate: ValidateFunction | null = null
    return (data: unknown) => {
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

/** What conversion would let through: text that cannot be stored, and odd spellings of a number (0x10). */
function flawsOfParameters(parameters: Record<string, unknown>, schema: object): Issue[] {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  return Object.entries(parameters ?? {}).flatMap(([path, value]) => {
    const flawOfName = flawOfText(path)
    if (flawOfName) return [{ path: '', message: `has a parameter whose name ${flawOfName.message}` }]
    if (typeof value !== 'string') return []
    if (properties[path]?.type === 'integer' && !/^-?\d+$/.test(value))
      return [{ path, message: 'must be an integer' }]
    const flaw = flawOfText(value)
    return flaw ? [{ path, message: flaw.message }] : []
  })
}

function toIssues(errors: ErrorObject[]): Issue[] {
  // A failed oneOf is preceded by the failures of its alternatives, which say less.
  return errors
    .filter((error) => !/\/(oneOf|not)\/./.test(error.schemaPath))
    .slice(0, MAX_ISSUES)
    .map(toIssue)
}

function toIssue(error: ErrorObject): Issue {
  const { path = toPath(error.instancePath) } = error.params as { path?: string }
  const schema = (error.parentSchema ?? {}) as Record<string, unknown>
  const at = (key: string) => join(toPath(error.instancePath), key)

  switch (error.keyword) {
    case 'required':
      return { path: at(error.params.missingProperty), message: 'is required' }
    case 'additionalProperties':
      return {
        path: at(error.params.additionalProperty),
        message: `is not known here; known: ${namesOf(schema.properties)}`,
      }
    case 'type':
      return {
        path: path || 'body',
        message: `must be ${[schema.type].flat().map(withArticle).join(' or ')}`,
      }
    case 'enum':
      return {
        path,
        message: `must be one of ${(schema.enum as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`,
      }
    case 'minLength':
    case 'maxLength':
      return { path, message: `must have ${schema.minLength ?? 0} to ${schema.maxLength} characters` }
    case 'minimum':
    case 'maximum':
      return { path, message: `must be from ${schema.minimum} to ${schema.maximum}` }
    case 'oneOf':
      return { path: path || 'body', message: `needs exactly one of ${alternativesOf(schema.oneOf)}` }
    case 'format':
      return { path, message: 'must be a time as ISO 8601 with a zone, such as 2026-01-31T09:30:00.000Z' }
    case 'minItems':
    case 'maxItems':
      return { path, message: `must have ${schema.minItems ?? 0} to ${schema.maxItems} items` }
    case 'pattern':
      return { path, message: `must be ${schema.pattern === UUID_PATTERN ? 'a UUID' : formOf(schema)}` }
    case 'not':
      return { path, message: 'is reserved for the service' }
    default:
      return { path: path || 'body', message: error.message ?? 'is not valid' }
  }
}

/** By an example, since a pattern tells most people nothing. */
const formOf = ({ examples = [] }: { examples?: unknown[] }) =>
  `of another form, such as ${examples.join(' or ')}`

const namesOf = (properties: unknown) =>
  Object.keys((properties as object | undefined) ?? {}).join(', ') || 'nothing'

const alternativesOf = (schemas: unknown) =>
  (schemas as { required?: string[] }[]).flatMap(({ required = [] }) => required).join(', ')

const withArticle = (type: unknown) =>
  type === 'null' ? 'null' : `${/^[aeiou]/.test(`${type}`) ? 'an' : 'a'} ${type}`

/** `/contract/conditions/0` as `contract.conditions[0]`. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, key) => join(path, /^\d+$/.test(key) ? Number(key) : key), '')
}
