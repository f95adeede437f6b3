import { edit, type Mutant } from './mutant.ts'

/** Invitations, sessions, and the tokens that are made in them. */
export const OF_PEOPLE: readonly Mutant[] = [
  {
    name: 'an invitation that was used just now is taken once more',
    edits: [
      edit(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in the source
        'WHERE key_hash = $1 AND ${IS_OPEN} RETURNING',
        'WHERE key_hash = $1 AND revoked_at IS NULL RETURNING',
      ),
    ],
  },
  {
    name: 'an invitation that was withdrawn still opens an account',
    edits: [
      edit(
        "'used_at IS NULL AND revoked_at IS NULL AND expires_at > clock_timestamp()'",
        "'used_at IS NULL AND expires_at > clock_timestamp()'",
      ),
    ],
  },
  {
    name: 'of the sessions that end together, one leaves its tokens behind',
    edits: [edit('await deleteSessions(connection))', '(await deleteSessions(connection)).slice(1))')],
  },
  {
    name: 'a token is trusted for a minute after its end',
    edits: [
      edit(
        '(1000 * extract(epoch FROM expires_at - clock_timestamp()))::float8',
        '(60000 + 1000 * extract(epoch FROM expires_at - clock_timestamp()))::float8',
      ),
    ],
  },
]
