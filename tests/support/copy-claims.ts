/** SQL that inserts $2 copies of claim $1, each with a new id. */
export const COPY_CLAIM = `INSERT INTO claims (id, user_id, customer_id, contract_hash, price, status, scheduled_outcome,
    status_since, due_at, test_clock_id, created_at)
  SELECT gen_random_uuid(), user_id, customer_id, contract_hash, price, status, scheduled_outcome,
    status_since, due_at, test_clock_id, created_at
  FROM claims, generate_series(1, $2) WHERE id = $1 RETURNING id`
