import { type Static, Type } from 'typebox'
import type { Maker } from '../../core/records.ts'
import { SOME_UUID, UuidOrNull } from '../../platform/http/responses/field-schemas.ts'

const MadeByObject = Type.Object(
  {
    kind: Type.Enum(['session', 'token'], {
      description: 'Whether somebody was signed in, or a program came with an API token.',
    }),
    token_id: UuidOrNull('The token; null for a session.'),
    token_name: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The name that the token had; null for a session.',
      examples: ['nightly import'],
    }),
  },
  { examples: [{ kind: 'token', token_id: SOME_UUID, token_name: 'nightly import' }] },
)

/** The one that made a version of a record. */
export const MadeBy = Type.Unsafe<Static<typeof MadeByObject> | null>({
  ...MadeByObject,
  type: ['object', 'null'],
  description: 'Who made it; null if that was not recorded.',
})

export const presentMaker = (maker: Maker | null) =>
  maker &&
  (maker.kind === 'token'
    ? { kind: maker.kind, token_id: maker.id, token_name: maker.name }
    : { kind: maker.kind, token_id: null, token_name: null })
