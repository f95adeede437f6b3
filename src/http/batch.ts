import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { Json } from '../domain/json.ts'
import { toAnswer } from './error-response.ts'
import { requireKeepable } from './parse-json.ts'
import { ErrorBody } from './schemas/responses.ts'
import type { TypedServer } from './typed-server.ts'

/** Items that a batch takes. */
const MAX_ITEMS = 1_000
/** Bytes of a batch's body. */
export const BATCH_BODY_LIMIT = 8 * 1024 * 1024

/** The body of a batch: an object with one list. */
export const batchBody = <Item extends TSchema, List extends string>(list: List, item: Item) =>
  Type.Unsafe<Record<List, Json[]>>({
    type: 'object',
    required: [list],
    properties: { [list]: { type: 'array', minItems: 1, maxItems: MAX_ITEMS, items: item } },
    additionalProperties: false,
    examples: [{ [list]: (item as { examples?: unknown[] }).examples ?? [] }],
  })

/** A batch's answer: a result for each item, in their order. */
export function batchAnswer(success: TSchema) {
  const refusal = Type.Object({
    status: Type.Integer({ description: 'The HTTP status that the single form answers.' }),
    error: ErrorBody.properties.error,
  })
  return Type.Object({
    results: Type.Array(Type.Unsafe({ anyOf: [success, refusal] }), {
      description: 'In the order of the items.',
    }),
  })
}

/** Validates of a batch only that it is one: what is wrong with an item is the item's own result. */
export const validateEnvelope =
  (server: TypedServer, list: string): FastifySchemaCompiler<object> =>
  (route) => {
    const compile = server.validatorCompiler as FastifySchemaCompiler<object>
    if (route.httpPart !== 'body') return compile(route)
    const validate = compile({ ...route, schema: batchBody(list, Type.Unknown()) })
    const isStream = (data: unknown) => typeof (data as { pipe?: unknown } | null)?.pipe === 'function'
    return (data: unknown) => (isStream(data) ? { value: data } : validate(data))
  }

/** Reads an item as the single form reads its body. @throws VALIDATION_ERROR */
export function itemReader<Body>(server: TypedServer, schema: TSchema): (item: Json) => Body {
  const compile = server.validatorCompiler as FastifySchemaCompiler<object>
  const validate = compile({ schema, httpPart: 'body', method: 'POST', url: '' })
  return (item) => {
    requireKeepable(item)
    const { error } = validate(item) as { error?: Error }
    if (error) throw error
    return item as Body
  }
}

/** A result that is an error, with what the single form answers. */
export function errorResult(error: unknown, request: FastifyRequest) {
  const { status, body } = toAnswer(error, request)
  return { status, ...body }
}
