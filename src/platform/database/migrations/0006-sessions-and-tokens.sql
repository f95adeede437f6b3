-- The session in which a token was made: whoever ends that session ends the token too. Null for tokens of the command
-- line, and of those that were made before this was recorded. The session itself may be gone by then.
ALTER TABLE api_tokens ADD COLUMN session_id uuid;

-- A session is renewed by visits (src/app/auth.ts), but ends 90 days after its beginning, whoever writes it.
CREATE FUNCTION end_session_in_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.expires_at := least(NEW.expires_at, NEW.created_at + interval '90 days');
  RETURN NEW;
END
$$;

CREATE TRIGGER session_ends
  BEFORE INSERT OR UPDATE OF expires_at, created_at ON sessions
  FOR EACH ROW EXECUTE FUNCTION end_session_in_time();

UPDATE sessions SET expires_at = created_at + interval '90 days' WHERE expires_at > created_at + interval '90 days';
