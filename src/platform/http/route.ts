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

/** One operation: its path, what it takes and answers, and what it does. A server gets it by `server.route`. */
export type Route = TypedRoute<FastifySchema>

/** A route whose handler knows the types of its schema. */
export function route<const Schema extends FastifySchema>(options: TypedRoute<Schema>): Route {
  // Routes of different schemas stand in one list. A handler gets only what the route's own schema has let through.
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
