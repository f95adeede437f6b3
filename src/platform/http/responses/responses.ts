import { type TSchema, Type } from 'typebox'
import { ERRORS } from '../../../kernel/error-catalogue.ts'
import type { ErrorCode } from '../../../kernel/errors.ts'

/** The body of every error (§7). */
export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        type: Type.Enum(['invalid_request_error', 'authentication_error', 'rate_limit_error', 'api_error']),
        code: Type.Enum(Object.keys(ERRORS) as [string, ...string[]]),
        message: Type.String(),
        status: Type.Integer({ description: 'The HTTP status.' }),
        doc_url: Type.String({ description: 'A page about this code.' }),
        request_id: Type.String({ description: 'Also in the header X-Request-Id.' }),
        details: Type.Optional(
          Type.Array(
            Type.Object({
              path: Type.String({
                description: 'Such as contract.fulfillment_condition.conditions[0].event',
              }),
              message: Type.String(),
            }),
          ),
        ),
      },
      { title: 'ErrorDetails' },
    ),
  },
  { $id: 'Error' },
)

/** Errors of any operation under /v1. */
const ALWAYS: ErrorCode[] = [
  'VALIDATION_ERROR',
  'TOKEN_INVALID',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
]
/** Further errors of operations that change something or have a body: all but GET. */
export const BODY_ERRORS: ErrorCode[] = [
  'CROSS_ORIGIN_REQUEST',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]

/** Response headers besides the common ones, by name. */
type Headers = Record<string, { type: 'string' | 'integer'; description: string }>

interface Success {
  description: string
  headers?: Headers
  /** Absent without a body. */
  schema?: TSchema
  /** Media type of the body. Default: JSON. */
  mediaType?: string
  /** Schema of a line, if the response may also be NDJSON. */
  line?: TSchema
  /** Schema of the data of an event, if the response may also be a stream of events. */
  event?: TSchema
}

/** JSON, one value per line. */
export const NDJSON = 'application/x-ndjson'
/** All media types that clients use for NDJSON. */
export const NDJSON_TYPES = [NDJSON, 'application/ndjson', 'application/jsonl'] as const

/** Server-sent events. */
export const EVENT_STREAM = 'text/event-stream'

/** For the OpenAPI document. OpenAPI 3.1 describes NDJSON only as text, so `x-line-schema` describes a line. */
export const linesOf = (line: TSchema) => ({
  schema: {
    type: 'string',
    description: 'One JSON value per line, described by `x-line-schema`.',
    'x-line-schema': line,
  },
})

const eventsOf = (data: TSchema) => ({
  schema: {
    type: 'string',
    description: 'Server-sent events. `x-event-schema` describes their data.',
    'x-event-schema': data,
  },
})

/** A component by its $id. */
export const ref = (schema: TSchema & { $id?: string }): TSchema => Type.Unsafe({ $ref: `${schema.$id}#` })

/** The responses of an operation under /v1: its successes and all of its errors. */
export function responses(successes: Record<number, Success>, errors: ErrorCode[]) {
  return {
    ...Object.fromEntries(
      Object.entries(successes).map(([status, success]) => [status, toResponse(success)]),
    ),
    ...errorResponses([...ALWAYS, ...errors]),
  }
}

function toResponse({ description, schema, headers, mediaType = 'application/json', ...also }: Success) {
  const { line, event } = also
  const withHeaders = headers ? { headers } : {}
  if (!schema) return { description, type: 'null', ...withHeaders }
  const lines = line ? { [NDJSON]: linesOf(line) } : {}
  const stream = event ? { [EVENT_STREAM]: eventsOf(event) } : {}
  return { description, content: { [mediaType]: { schema }, ...lines, ...stream }, ...withHeaders }
}

/** The path of a created record. */
export const LOCATION: Headers = { Location: { type: 'string', description: 'The path of the new record.' } }

/** For a record that callers can change. */
export const ETAG: Headers = {
  ETag: {
    type: 'string',
    description: 'Identifies this state of the record, for `If-None-Match` and for `If-Match` of a change.',
  },
}

/** If the caller has the record already, by `If-None-Match`. */
export const NOT_MODIFIED: Record<304, Success> = {
  304: { description: 'The record has an ETag of `If-None-Match`.', headers: ETAG },
}

const RETRY_AFTER: Headers[string] = { type: 'integer', description: 'Seconds to wait before the next try.' }

const ERROR_HEADERS: Partial<Record<number, Headers>> = {
  401: { 'WWW-Authenticate': { type: 'string', description: 'Bearer' } },
  429: {
    'Retry-After': RETRY_AFTER,
    'RateLimit-Limit': { type: 'integer', description: 'Requests, and items of batches, a minute.' },
    'RateLimit-Remaining': { type: 'integer', description: 'Requests that are left in this minute.' },
    'RateLimit-Reset': { type: 'integer', description: 'Seconds until the limit is reset.' },
  },
  503: { 'Retry-After': RETRY_AFTER },
}

/** One response for each status. A status may have several codes. */
export function errorResponses(codes: ErrorCode[]) {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('\n\n'),
        ...(ERROR_HEADERS[status] ? { headers: ERROR_HEADERS[status] } : {}),
        content: {
          'application/json': {
            schema: ref(ErrorBody),
            examples: Object.fromEntries(group.map((code) => [code, { value: exampleOf(code) }])),
          },
        },
      },
    ]),
  )
}

function exampleOf(code: ErrorCode) {
  const { status, type, title } = ERRORS[code]
  const details =
    code === 'VALIDATION_ERROR' ? { details: [{ path: 'contract.price', message: 'is required' }] } : {}
  return {
    error: {
      type,
      code,
      message: title,
      status,
      doc_url: `http://127.0.0.1:8080/docs/errors/${code}`,
      request_id: 'req_6f1c1b9e-6f0b-4a53-8a51-0f4c8f1f7d10',
      ...details,
    },
  }
}
