import type { TestService } from './test-service.ts'

/**
 * Installs triggers: an event of type `fault_SQLSTATE` is refused with that SQLSTATE whenever it is written, and an
 * event of type `once_SQLSTATE` only at the first write of its id. May be called repeatedly for one database.
 */
export async function armWriteFaults({ sql }: Pick<TestService, 'sql'>): Promise<void> {
  await sql(`
    CREATE OR REPLACE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.type LIKE 'once%' THEN
        -- nextval is not undone by a rollback, so the sequence counts attempts.
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

/** Must be called with the id before an event of type `once_…` is submitted. */
export async function refuseOnce({ sqlOnEach }: Pick<TestService, 'sqlOnEach'>, id: string): Promise<void> {
  await sqlOnEach(`CREATE SEQUENCE "tried_${id}"`)
}
