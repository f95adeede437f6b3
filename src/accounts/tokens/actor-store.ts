/** SQL for the `Actor` that creates a version of a record, from the hash of its token. A null hash means a session. */
export const actorSql = (tokenHash: string): string =>
  `CASE WHEN ${tokenHash}::bytea IS NULL THEN '{"kind": "session"}'::jsonb
        ELSE (SELECT jsonb_build_object('kind', 'token', 'id', id, 'name', name) FROM api_tokens WHERE token_hash = ${tokenHash})
      END`
