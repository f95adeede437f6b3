type ErrorType = 'invalid_request_error' | 'authentication_error' | 'rate_limit_error' | 'api_error'

interface CatalogueEntry {
  status: number
  type: ErrorType
  /** A sentence that says what happened. */
  title: string
  /** The action for the reader of the error. */
  help: string
}

/** Every error that the API answers (§7). The documentation, the error pages and OpenAPI are made from it. */
export const ERRORS = {
  VALIDATION_ERROR: {
    status: 400,
    type: 'invalid_request_error',
    title: 'The body, the query or the path of the request is not valid.',
    help: 'Each entry of `details` names a place (`path`) and what is wrong there (`message`). Nothing was stored. Correct the request and send it again.',
  },
  EVENT_ID_REQUIRED: {
    status: 400,
    type: 'invalid_request_error',
    title: 'The contract of the claim takes only events with an `id` of yours.',
    help: 'Send the event with an `id`, or with an `Idempotency-Key`, and use the same one when you send it again. The contract has a review or a clock that events stop, or counts events: without an id, an event that is sent twice would count twice. Nothing was stored.',
  },
  TOKEN_INVALID: {
    status: 401,
    type: 'authentication_error',
    title: 'The request carries no valid API token.',
    help: 'Send the header `Authorization: Bearer <API_TOKEN>`. The token may be mistyped, expired or revoked. Make another in the dashboard or with `claimkeeper token create`. If a session has ended, sign in again.',
  },
  SIGN_IN_FAILED: {
    status: 401,
    type: 'authentication_error',
    title: 'The email or the password is wrong.',
    help: 'The answer does not say which of the two. Accounts without a password cannot sign in; `claimkeeper user set-password` sets one.',
  },
  CROSS_ORIGIN_REQUEST: {
    status: 403,
    type: 'invalid_request_error',
    title: 'The request comes from a page of another site.',
    help: 'With the cookie of a session, only the service’s own pages may change anything: the header `Origin` must name the service as the browser sees it. Behind a proxy, set PUBLIC_URL. In programs, use an API token.',
  },
  SESSION_REQUIRED: {
    status: 403,
    type: 'invalid_request_error',
    title: 'This needs someone who is signed in, not an API token.',
    help: 'Make, list and revoke tokens and invitations in the dashboard, with the cookie of its session, or on the command line (`claimkeeper token`, `claimkeeper user invite`). A leaked token must not be able to make others.',
  },
  SIGN_UP_CLOSED: {
    status: 403,
    type: 'invalid_request_error',
    title: 'Signing up needs an invitation.',
    help: 'Ask a person with an account for one. The operator can make one with `claimkeeper user invite`, or allow sign-up for everyone with CLAIMKEEPER_OPEN_SIGN_UP.',
  },
  CLAIM_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'This account has no claim with that id.',
    help: 'Check the id, and that the token belongs to the account that made the claim. A candidate is addressed by its alias under /v1/candidates.',
  },
  CANDIDATE_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'This account has no candidate with that alias.',
    help: 'Check the alias (it is case-sensitive; characters such as / must be percent-encoded in a path), and that the token belongs to the account that made the candidate.',
  },
  SCHEMA_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'This account has no schema with that id.',
    help: 'Check the id; the schema may have been deleted. Claims made from a deleted schema keep their copy of its contract.',
  },
  SCHEMA_VERSION_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'The schema has no such version, or not any more.',
    help: 'The newest 100 versions of a schema are kept; GET /v1/schemas/{id}/versions shows them. Claims made from an older one have their copy of its contract.',
  },
  CALENDAR_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'This account has no calendar with that id, or it was deleted.',
    help: 'Check the id with GET /v1/calendars. A deleted calendar can be read, with its versions and its preview, but not changed, and no new contract can use it.',
  },
  CALENDAR_VERSION_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'The calendar has no such version.',
    help: 'GET /v1/calendars/{id}/versions shows all versions of a calendar. They are numbered from 1 on, and none is removed.',
  },
  CUSTOMER_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'This account has no such customer.',
    help: 'Claims name a customer by its UUID (`customer_id`), candidates by its external_id (`customer_uuid`). Create the customer first with POST /v1/customers.',
  },
  TEST_CLOCK_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'This account has no test clock with that id.',
    help: 'Check the id; the clock may have been deleted, and its claims and candidates with it.',
  },
  WEBHOOK_ENDPOINT_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'This account has no webhook endpoint with that id.',
    help: 'Check the id with GET /v1/webhook_endpoints; the endpoint may have been deleted, and its deliveries with it.',
  },
  WEBHOOK_DELIVERY_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'This account has no webhook delivery with that id.',
    help: 'The id is that of the endpoint, a dot, and the number of the delivery, as GET /v1/webhook_deliveries shows it. Deliveries are kept as long as notifications.',
  },
  TOKEN_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'This account has no token with that id.',
    help: 'The id is the one that GET /v1/tokens shows, not the token itself.',
  },
  INVITATION_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'There is no such invitation.',
    help: 'An invitation works once, for 7 days, unless it is revoked. Each start prints a sign-up link for the first account; only one of these links can be used. Ask for a new invitation.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    type: 'invalid_request_error',
    title: 'There is no such path.',
    help: 'The API reference at /docs lists every path. Those of the API begin with /v1; health checks, documents and the dashboard’s sign-in do not.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    type: 'invalid_request_error',
    title: 'The path exists, but not with this method.',
    help: 'The header `Allow` lists the methods that the path has.',
  },
  CUSTOMER_EXTERNAL_ID_CONFLICT: {
    status: 409,
    type: 'invalid_request_error',
    title: 'The account already has a customer with this external_id.',
    help: 'Find it with GET /v1/customers?external_id=…, or choose another external_id.',
  },
  CANDIDATE_ALIAS_CONFLICT: {
    status: 409,
    type: 'invalid_request_error',
    title: 'The candidate alias is taken.',
    help: 'Aliases are unique over all accounts; the answer does not say which account has it. An alias is free again only if the test clock of its candidate is deleted. If an earlier request of yours created the candidate, read it with GET /v1/candidates/{candidate_alias}.',
  },
  ACCOUNT_EMAIL_CONFLICT: {
    status: 409,
    type: 'invalid_request_error',
    title: 'An account with this email exists already.',
    help: 'Sign in with it, or sign up with another email. The invitation stays valid.',
  },
  CLAIM_REFERENCE_CONFLICT: {
    status: 409,
    type: 'invalid_request_error',
    title: 'The account has a claim with this reference.',
    help: 'The message names its id, and GET /v1/claims?reference=… shows it: perhaps an earlier request of yours created it. Otherwise choose another reference. A reference of an archived claim stays taken; one of a claim on a test clock is free again once the clock is deleted.',
  },
  EVENT_ID_CONFLICT: {
    status: 409,
    type: 'invalid_request_error',
    title: 'The claim already holds an event with this id and other content.',
    help: 'An id names one event within its claim. To repeat a submission send exactly the same type, value and fields; for a new event use a new id.',
  },
  CLAIM_ARCHIVED: {
    status: 410,
    type: 'invalid_request_error',
    title: 'The claim or candidate was archived.',
    help: 'It was resolved long ago and moved to a file; the message names the time and the file. It takes no events, and its alias stays taken. The operator can read it (`claimkeeper archive show`) or bring it back (`claimkeeper archive restore`).',
  },
  CURSOR_EXPIRED: {
    status: 410,
    type: 'invalid_request_error',
    title: 'Notifications that follow the cursor have been removed.',
    help: 'Notifications are kept for 30 days, unless the operator has set another time. Read the claims themselves, and begin the feed again without `after`: it starts with the oldest that is kept.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    type: 'invalid_request_error',
    title: 'A request with this Idempotency-Key is being answered.',
    help: 'The first request is still in progress. Wait for the seconds of `Retry-After` and send the request again with the same key: it gets the answer of the first one.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    type: 'invalid_request_error',
    title: 'The record is not as the header `If-Match` says.',
    help: 'It was changed since it was read: its ETag is not in `If-Match` (weak ones, `W/"…"`, never match). Nothing was done. Read the record, compare, and send the request again with the new ETag; or without `If-Match`, to overwrite the current state.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    type: 'invalid_request_error',
    title: 'The request is too large.',
    help: 'A body has at most 1 MiB, that of a batch 8 MiB, that of a sign-in or sign-up 16 KiB; a stream of lines has 1 MiB a line. An event’s payload has at most 256 KiB as JSON. The message says what is too large; §8 of the specification lists all limits. Nothing was stored.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    type: 'invalid_request_error',
    title: 'The body is not JSON.',
    help: 'Send JSON with the header `Content-Type: application/json`, uncompressed.',
  },
  CLAIM_NOT_OPEN: {
    status: 422,
    type: 'invalid_request_error',
    title: 'The claim or candidate takes no events in its status.',
    help: 'The message names its status. A PENDING one takes events only if its contract has a `review` and its scheduled outcome is CONFIRMED. Another submission or a scheduled check may have moved it a moment ago; read the claim to see what happened. The event was not recorded.',
  },
  EVENT_LIMIT_REACHED: {
    status: 422,
    type: 'invalid_request_error',
    title: 'The event log of the claim is full.',
    help: 'A claim holds at most 10,000 events and 64 MiB of payloads. The event was not recorded.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    type: 'invalid_request_error',
    title: 'The Idempotency-Key stands for another request.',
    help: 'In the last 24 hours the account has sent the same key with another method, path, query, `If-Match` or body, or, if the answer holds a secret, with another token or in another session. Nothing was done. Use a new key, such as a UUID, for each operation, and repeat it only with the same request, byte for byte.',
  },
  SCHEMA_LIMIT_REACHED: {
    status: 422,
    type: 'invalid_request_error',
    title: 'The account has as many schemas as it may.',
    help: 'Delete unused schemas; claims keep their copy of the contract. The operator sets the limit (`CLAIMKEEPER_MOST_SCHEMAS`, 10,000 by default).',
  },
  CALENDAR_LIMIT_REACHED: {
    status: 422,
    type: 'invalid_request_error',
    title: 'The account has as many calendars as it may.',
    help: 'Change a calendar instead of creating one: claims keep the version that they have. Deleted calendars count, because claims may use them. The operator sets the limit (`CLAIMKEEPER_MOST_CALENDARS`, 1,000 by default).',
  },
  CALENDAR_VERSION_LIMIT_REACHED: {
    status: 422,
    type: 'invalid_request_error',
    title: 'The calendar has as many versions as it may.',
    help: 'A calendar has at most 1,000 versions, because claims may use each of them. Create a new calendar.',
  },
  WEBHOOK_ENDPOINT_LIMIT_REACHED: {
    status: 422,
    type: 'invalid_request_error',
    title: 'The account has as many webhook endpoints as it may.',
    help: 'Delete an endpoint that is not needed with DELETE /v1/webhook_endpoints/{id}, or give one endpoint more types. An account has at most 50.',
  },
  TOKEN_LIMIT_REACHED: {
    status: 422,
    type: 'invalid_request_error',
    title: 'The account has as many tokens in force as it may.',
    help: 'Revoke unused tokens (`last_used_at`). An account has at most 1,000 valid tokens. Tokens from the command line count, but are not refused.',
  },
  INVITATION_LIMIT_REACHED: {
    status: 422,
    type: 'invalid_request_error',
    title: 'The account has as many open invitations as it may.',
    help: 'Revoke invitations that are not needed, or wait: each ends after 7 days. An account has at most 1,000 open ones; the operator can make any number on the command line.',
  },
  RATE_LIMITED: {
    status: 429,
    type: 'rate_limit_error',
    title: 'There were more requests, or items of batches, than the service allows.',
    help: 'Wait for the seconds of `Retry-After`. Under /v1 the RateLimit headers of every answer say how much is left: each request counts one, and each event, claim or candidate of a batch and each line of a stream. Sign-in and sign-up are limited for each address and each email. About a hundred aliases of other accounts (409 CANDIDATE_ALIAS_CONFLICT) are revealed a minute.',
  },
  INTERNAL_ERROR: {
    status: 500,
    type: 'api_error',
    title: 'The service failed.',
    help: 'The service is at fault, not the request. If the message says that the outcome is not known, check whether the request took effect before you repeat it without an `Idempotency-Key`. Quote the `request_id` when you report it; the server’s log holds the cause.',
  },
  UNAVAILABLE: {
    status: 503,
    type: 'api_error',
    title: 'The service cannot answer now: its database is away, it is stopping, or it is overloaded.',
    help: 'Wait for the seconds of `Retry-After`, then send the request again. If the message says that the outcome is not known, the request may have taken effect. It is safe to repeat an event with the same `id`, a request with the same `Idempotency-Key`, and a creation of a candidate or customer with the same name. Before you create a claim or a schema again, look whether it exists.',
  },
} as const satisfies Record<string, CatalogueEntry>
