import { type Static, Type } from 'typebox'
import type { Actor } from '../../core/records.ts'
import { EXAMPLE_UUID, UuidOrNull } from '../../platform/http/responses/field-schemas.ts'

const MadeByObject = Type.Object(
  {
    kind: Type.Enum(['session', 'token'], {
      description: 'The credential of the request: a session of the dashboard, or an API token.',
    }),
    token_id: UuidOrNull('The token; null for a session.'),
    token_name: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Name of the token at that time; null for a session.',
      examples: ['nightly import'],
    }),
  },
  { examples: [{ kind: 'token', token_id: EXAMPLE_UUID, token_name: 'nightly import' }] },
)

/** The one that made a version of a record. */
export const MadeBy = Type.Unsafe<Static<typeof MadeByObject> | null>({
  ...MadeByObject,
  type: ['object', 'null'],
  description: 'The author of the version; null if it was not recorded.',
})

export const presentActor = (actor: Actor | null) =>
  actor &&
  (actor.kind === 'token'
    ? { kind: actor.kind, token_id: actor.id, token_name: actor.name }
    : { kind: actor.kind, token_id: null, token_name: null })
