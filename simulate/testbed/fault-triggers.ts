import type { Postgres } from './postgres.ts'

type Db = Pick<Postgres, 'sql'>

/** Tables that requests write to. */
const TABLES = ['claims', 'claim_events', 'customers', 'test_clocks', 'claim_schemas'] as const

/** A state in place of an SQLSTATE: inserts into the table are delayed before their commit. */
export const delayCommitsIn = (table: (typeof TABLES)[number]): string => `linger in ${table}`
const MAX_DELAY_S = 0.3

/**
 * Installs triggers that raise an error for a share of the writing statements, or delay their commit. A row arms them: on
 * a Citus cluster a row on each node.
 */
export async function installFaultTriggers(db: Db, shardNodes: readonly Db[]): Promise<void> {
  for (const node of [db, ...shardNodes]) await installOnNode(node)
  for (const table of TABLES) {
    await db.sql(`
      CREATE OR REPLACE TRIGGER refuse_by_chance BEFORE INSERT OR UPDATE OR DELETE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION simulate.refuse()`)
    await db.sql(`
      CREATE OR REPLACE TRIGGER linger_by_chance AFTER INSERT ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION simulate.linger()`)
  }
}

/** Without Citus this has no effect. */
const ON_THIS_NODE = 'SET LOCAL citus.enable_ddl_propagation = off;'

/** Installs the functions of the triggers. */
async function installOnNode(db: Db): Promise<void> {
  await db.sql(
    `${ON_THIS_NODE} CREATE SCHEMA IF NOT EXISTS simulate; GRANT USAGE ON SCHEMA simulate TO PUBLIC`,
  )
  await db.sql(`${ON_THIS_NODE}
    CREATE TABLE IF NOT EXISTS simulate.armed (state text NOT NULL, share double precision NOT NULL);
    CREATE SEQUENCE IF NOT EXISTS simulate.raised;
    GRANT SELECT ON simulate.armed TO PUBLIC; GRANT USAGE, SELECT ON simulate.raised TO PUBLIC`)
  await db.sql(`${ON_THIS_NODE}
    CREATE OR REPLACE FUNCTION simulate.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE armed record;
    BEGIN
      FOR armed IN SELECT state, share FROM simulate.armed WHERE length(state) = 5 LOOP
        IF random() < armed.share THEN
          -- A sequence keeps its value if the transaction is rolled back.
          PERFORM nextval('simulate.raised');
          RAISE EXCEPTION 'a fault of the simulator' USING ERRCODE = armed.state;
        END IF;
      END LOOP;
      RETURN NULL;
    END $$`)
  await db.sql(`${ON_THIS_NODE}
    -- The name of a shard ends with its number.
    CREATE OR REPLACE FUNCTION simulate.linger() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF random() < (SELECT max(share) FROM simulate.armed WHERE state = 'linger in ' || regexp_replace(TG_TABLE_NAME, '_\\d+$', '')) THEN
        PERFORM nextval('simulate.raised'), pg_sleep(random() * ${MAX_DELAY_S});
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

/** Number of errors that were raised and statements that were delayed. */
export async function countTriggered(nodes: readonly Db[]): Promise<number> {
  let raised = 0
  for (const db of nodes) {
    const [row] = await db.sql<{ raised: string }>(
      'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS raised FROM simulate.raised',
    )
    raised += Number(row?.raised)
  }
  return raised
}
