/** SQL for the one that makes a version of a record, by the hash of the token; null stands for a session. */
export const makerOf = (tokenHash: string): string =>
  `CASE WHEN ${tokenHash}::bytea IS NULL THEN '{"kind": "session"}'::jsonb
        ELSE (SELECT jsonb_build_object('kind', 'token', 'id', id, 'name', name) FROM api_tokens WHERE token_hash = ${tokenHash})
      END`
