import type { TestService } from './test-service.ts'

/**
 * Arms the database: an event of the type `fault_SQLSTATE` is refused with that SQLSTATE whenever it is written, one of
 * the type `once_SQLSTATE` the first time that any is written with its id. May be called more than once on the same database.
 */
export async function armWriteFaults({ sql }: Pick<TestService, 'sql'>): Promise<void> {
  await sql(`
    CREATE OR REPLACE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.type LIKE 'once%' THEN
        -- What a sequence says stays said, also where the transaction is rolled back.
        IF to_regclass(quote_ident('tried_' || NEW.id)) IS NULL THEN
          RAISE EXCEPTION 'no sequence for %', NEW.id;
        ELSIF nextval(quote_ident('tried_' || NEW.id)::regclass) > 1 THEN
          RETURN NEW;
        END IF;
      END IF;
      RAISE EXCEPTION 'something secret' USING ERRCODE = split_part(NEW.type, '_', 2);
    END $$`)
  await sql('DROP TRIGGER IF EXISTS refuse_write ON claim_events')
  await sql(`
    CREATE TRIGGER refuse_write BEFORE INSERT ON claim_events
    FOR EACH ROW WHEN (NEW.type ~ '^(fault|once)_') EXECUTE FUNCTION refuse_write()`)
}

/** Before an event of the type `once_…` is submitted: its id. */
export async function refuseOnce({ sqlOnEach }: Pick<TestService, 'sqlOnEach'>, id: string): Promise<void> {
  await sqlOnEach(`CREATE SEQUENCE "tried_${id}"`)
}
