-- The tables of the service. Kept so that they can be distributed (Citus) without changing a statement:
-- every unique constraint contains the column that the table would be distributed by, and no foreign key
-- leads from one distributed table to another. Customers are never deleted, so a claim's customer, checked
-- when the claim is made, stays.

CREATE TABLE users (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE api_tokens (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  name text NOT NULL,
  -- SHA-256 of the token; the token itself is stored nowhere.
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz
);

-- `position` orders a list by creation; see storage/list-page.ts for why a time would not do.
CREATE TABLE customers (
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  external_id text NOT NULL,
  name text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  UNIQUE (user_id, external_id)
);
CREATE INDEX customers_listing ON customers (user_id, position);

-- Templates of claims ("schemas" on the wire). The contract is json, not jsonb: it comes back as it was sent.
CREATE TABLE claim_schemas (
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  contract json NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX claim_schemas_listing ON claim_schemas (user_id, position);

-- Claims and candidates. A candidate's id is derived from its alias, so the primary key keeps aliases unique.
CREATE TABLE claims (
  id uuid PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY,
  user_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  candidate_alias text,
  customer_external_id text,
  contract json NOT NULL,
  -- The event types that the contract's condition names: a decision reads no others.
  decisive_event_types text[] NOT NULL,
  status text NOT NULL,
  scheduled_outcome text,
  status_since timestamptz NOT NULL,
  due_at timestamptz,
  -- The number of log items, and the version that every write is guarded by.
  event_count integer NOT NULL DEFAULT 0,
  log_bytes integer NOT NULL DEFAULT 0,
  schema_id uuid,
  test_clock_id uuid,
  created_at timestamptz NOT NULL,

  -- The state machine (§3) once more: the database refuses what the code must never do.
  CONSTRAINT status_is_known CHECK (status IN ('OPEN', 'PENDING', 'CONFIRMED', 'FAILED')),
  CONSTRAINT outcome_is_known CHECK (scheduled_outcome IN ('CONFIRMED', 'FAILED')),
  CONSTRAINT outcome_is_set_but_while_open CHECK ((status = 'OPEN') = (scheduled_outcome IS NULL)),
  CONSTRAINT terminal_status_equals_outcome CHECK (status IN ('OPEN', 'PENDING') OR status = scheduled_outcome),
  CONSTRAINT due_but_in_a_terminal_state CHECK ((status IN ('OPEN', 'PENDING')) = (due_at IS NOT NULL)),
  CONSTRAINT candidate_names_its_customer CHECK ((candidate_alias IS NULL) = (customer_external_id IS NULL))
) WITH (fillfactor = 85); -- room on the page: most updates change only event_count, which is in no index

CREATE INDEX claims_due ON claims (due_at, id) WHERE due_at IS NOT NULL AND test_clock_id IS NULL;

CREATE INDEX claims_listing ON claims (user_id, position) WHERE candidate_alias IS NULL;
CREATE INDEX claims_by_status ON claims (user_id, status, position) WHERE candidate_alias IS NULL;
CREATE INDEX claims_by_customer ON claims (user_id, customer_id, position) WHERE candidate_alias IS NULL;
CREATE INDEX candidates_listing ON claims (user_id, position) WHERE candidate_alias IS NOT NULL;
CREATE INDEX candidates_by_status ON claims (user_id, status, position) WHERE candidate_alias IS NOT NULL;
CREATE INDEX candidates_by_customer ON claims (user_id, customer_id, position) WHERE candidate_alias IS NOT NULL;

-- The event logs: append-only. That an id is unique within its claim is ensured by the guarded write.
CREATE TABLE claim_events (
  claim_id uuid NOT NULL,
  seq integer NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  payload json NOT NULL,
  system boolean NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (claim_id, seq)
);
