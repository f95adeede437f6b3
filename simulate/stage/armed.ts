import type { Postgres } from './postgres.ts'

type Db = Pick<Postgres, 'sql'>

/** What the service writes to when it takes what clients send. */
const TABLES = ['claims', 'claim_events', 'customers', 'test_clocks', 'claim_schemas'] as const

/** Instead of an error's class: what is inserted into the table stays open for a while before it is committed. */
export const lingerIn = (table: (typeof TABLES)[number]): string => `linger in ${table}`
const LONGEST_S = 0.3

/**
 * Triggers that raise an error for a share of the statements that write, or hold up their commit: armed and disarmed by
 * one row, which costs the statements next to nothing while it says nothing. On a Citus cluster each node has its own row.
 */
export async function installRefusals(db: Db, shardNodes: readonly Db[]): Promise<void> {
  for (const node of [db, ...shardNodes]) await installOn(node)
  for (const table of TABLES) {
    await db.sql(`
      CREATE OR REPLACE TRIGGER refuse_by_chance BEFORE INSERT OR UPDATE OR DELETE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION simulate.refuse()`)
    await db.sql(`
      CREATE OR REPLACE TRIGGER linger_by_chance AFTER INSERT ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION simulate.linger()`)
  }
}

/** Without Citus this says nothing. */
const HERE_ALONE = 'SET LOCAL citus.enable_ddl_propagation = off;'

/** What the triggers call. */
async function installOn(db: Db): Promise<void> {
  await db.sql(`${HERE_ALONE} CREATE SCHEMA IF NOT EXISTS simulate; GRANT USAGE ON SCHEMA simulate TO PUBLIC`)
  await db.sql(`${HERE_ALONE}
    CREATE TABLE IF NOT EXISTS simulate.armed (state text NOT NULL, share double precision NOT NULL);
    CREATE SEQUENCE IF NOT EXISTS simulate.raised;
    GRANT SELECT ON simulate.armed TO PUBLIC; GRANT USAGE, SELECT ON simulate.raised TO PUBLIC`)
  await db.sql(`${HERE_ALONE}
    CREATE OR REPLACE FUNCTION simulate.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE armed record;
    BEGIN
      FOR armed IN SELECT state, share FROM simulate.armed WHERE length(state) = 5 LOOP
        IF random() < armed.share THEN
          -- What a sequence counts stays counted, also where the transaction is rolled back.
          PERFORM nextval('simulate.raised');
          RAISE EXCEPTION 'a fault of the simulator' USING ERRCODE = armed.state;
        END IF;
      END LOOP;
      RETURN NULL;
    END $$`)
  await db.sql(`${HERE_ALONE}
    -- Of a shard the name has its number at its end.
    CREATE OR REPLACE FUNCTION simulate.linger() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF random() < (SELECT max(share) FROM simulate.armed WHERE state = 'linger in ' || regexp_replace(TG_TABLE_NAME, '_\\d+$', '')) THEN
        PERFORM nextval('simulate.raised'), pg_sleep(random() * ${LONGEST_S});
      END IF;
      RETURN NULL;
    END $$`)
}

export async function arm(nodes: readonly Db[], state: string, share: number): Promise<void> {
  for (const db of nodes)
    await db.sql('INSERT INTO simulate.armed (state, share) VALUES ($1, $2)', [state, share])
}

export async function disarm(nodes: readonly Db[]): Promise<void> {
  for (const db of nodes) await db.sql('DELETE FROM simulate.armed')
}

/** How many errors were raised, or statements held up, so far. */
export async function countRaised(nodes: readonly Db[]): Promise<number> {
  let raised = 0
  for (const db of nodes) {
    const [row] = await db.sql<{ raised: string }>(
      'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS raised FROM simulate.raised',
    )
    raised += Number(row?.raised)
  }
  return raised
}
