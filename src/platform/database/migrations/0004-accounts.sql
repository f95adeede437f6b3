-- Accounts that people sign in to. The first five tables are written by better-auth (src/app/auth.ts) as well,
-- which expects these columns under names of its own.

-- Emails are compared in lower case everywhere; better-auth looks for exactly that.
UPDATE users SET email = lower(email) WHERE email <> lower(email);
ALTER TABLE users
  ADD COLUMN name text,
  ADD COLUMN email_verified boolean NOT NULL DEFAULT false,
  ADD COLUMN image text,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT clock_timestamp();

-- Who is signed in, and where. The token is its SHA-256 hash; the cookie carries the token itself, and a signature.
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  token text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  ip_address text,
  user_agent text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- How an account signs in: one row, with the scrypt hash of its password. The columns from access_token to scope
-- are for identity providers, of which there are none yet.
CREATE TABLE credentials (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  provider_id text NOT NULL,
  account_id text NOT NULL,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (user_id, provider_id)
);

-- Expected by better-auth for what is confirmed by email; nothing is yet.
CREATE TABLE verifications (
  id uuid PRIMARY KEY,
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX verifications_identifier ON verifications (identifier);

-- Attempts within a window, such as signing in from an address; counted for all servers together.
CREATE TABLE throttles (
  key text PRIMARY KEY,
  attempts integer NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX throttles_expiry ON throttles (ends_at);

-- One-time keys for signing up.
CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  -- SHA-256 of the key; the key itself is stored nowhere.
  key_hash bytea NOT NULL UNIQUE,
  -- Who may use it; null for anyone who has it.
  email text,
  -- Who made it; null for the command line and the service itself.
  invited_by uuid REFERENCES users,
  -- The account that signing up sets the email, name and password of; null where it makes a new one.
  claims_user_id uuid REFERENCES users,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX invitations_listing ON invitations (invited_by, created_at);

-- What all servers must agree on and nobody needs to choose, such as the key that signs the sessions' cookies.
CREATE TABLE server_secrets (
  name text PRIMARY KEY,
  value text NOT NULL
);

-- At most a minute behind.
ALTER TABLE api_tokens ADD COLUMN last_used_at timestamptz;
CREATE INDEX api_tokens_of_user ON api_tokens (user_id, created_at);
