import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  ContextConfigDefault,
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteOptions,
} from 'fastify'

export type TypedRoute<Schema extends FastifySchema> = RouteOptions<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  ContextConfigDefault,
  Schema,
  TypeBoxTypeProvider,
  FastifyBaseLogger
>

/** One operation: its path, schema and handler. `server.route` adds it. */
export type Route = TypedRoute<FastifySchema>

/** A route whose handler knows the types of its schema. */
export function route<const Schema extends FastifySchema>(options: TypedRoute<Schema>): Route {
  // Routes of different schemas stand in one list. A handler gets only input that its own schema has validated.
  return options as unknown as Route
}

/** A Fastify server whose handlers know the types of their schemas. */
export type TypedServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>
