import { Readable } from 'node:stream'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { ServiceError } from '../../../kernel/errors.ts'
import type { Json } from '../../../kernel/json.ts'
import { RawJson } from '../../../kernel/json.ts'
import type { Item } from '../bodies/parse-json.ts'
import { MAX_BATCH_ITEMS } from '../limits.ts'
import { toErrorResponse } from './error-response.ts'
import { ErrorBody } from './responses.ts'

/** The body of a batch: an object with one list. */
export const batchBody = <Item extends TSchema, List extends string>(list: List, item: Item) =>
  Type.Unsafe<Record<List, Json[]>>({
    type: 'object',
    required: [list],
    properties: { [list]: { type: 'array', minItems: 1, maxItems: MAX_BATCH_ITEMS, items: item } },
    additionalProperties: false,
    examples: [{ [list]: (item as { examples?: unknown[] }).examples ?? [] }],
  })

/** The result of an item. */
export function batchResult(success: TSchema) {
  const refusal = Type.Object(
    {
      status: Type.Integer({ description: 'The HTTP status of the single operation.' }),
      error: ErrorBody.properties.error,
    },
    { title: 'Refusal' },
  )
  return Type.Unsafe({ anyOf: [success, refusal] })
}

/** The response to a batch: one result for each item, in order. */
export const batchAnswer = (success: TSchema) =>
  Type.Object({ results: Type.Array(batchResult(success), { description: 'In the order of the items.' }) })

/** Validates a body except the items of its list. The handler validates each item. */
export const validateEnvelope =
  (compile: FastifySchemaCompiler<object>, list: string): FastifySchemaCompiler<object> =>
  (route) => {
    if (route.httpPart !== 'body') return compile(route)
    const { properties, ...envelope } = route.schema as { properties: Record<string, object> }
    const items = { ...properties[list], items: Type.Unknown() }
    const validate = compile({
      ...route,
      schema: { ...envelope, properties: { ...properties, [list]: items } },
    })
    return (data: unknown) => (data instanceof Readable ? { value: data } : validate(data))
  }

/** Reads an item as the single operation reads its body. @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE */
export function itemReader<Body>(
  compile: FastifySchemaCompiler<object>,
  schema: TSchema,
): (item: Item) => Body {
  const validate = compile({ schema, httpPart: 'body', method: 'POST', url: '' })
  return (item) => {
    if (item instanceof ServiceError) throw item
    const value = item instanceof RawJson ? item.parse() : item
    const { error } = validate(value) as { error?: Error }
    if (error) throw error
    return value as Body
  }
}

/** The result of a failed item, with the error body of the single operation. */
export function errorResult(error: unknown, request: FastifyRequest) {
  const { status, body } = toErrorResponse(error, request)
  return { status, ...body }
}
