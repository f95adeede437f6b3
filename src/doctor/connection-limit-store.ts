import type { Connection } from '../platform/database/connection.ts'

/** A limit of PostgreSQL on connections, and its use. */
export interface ConnectionLimit {
  /** Such as "CONNECTION LIMIT of the role claims". */
  name: string
  limit: number
  /** Sessions that count towards it, without the current one: of Claimkeeper in this database, and others. */
  ofClaimkeeper: number
  ofOthers: number
}

/** All limits for this role. For a superuser only max_connections counts, including reserved connections. */
export function readConnectionLimits(db: Connection): Promise<ConnectionLimit[]> {
  return db.query<ConnectionLimit>({
    // PostgreSQL hides the backend_type of other roles' sessions from roles without pg_read_all_stats.
    text: `-- read_connection_limits
      WITH role AS (
        SELECT oid, rolname, rolsuper, rolconnlimit,
          (SELECT pg_has_role(r.oid, p.oid, 'USAGE') FROM pg_roles p WHERE p.rolname = 'pg_use_reserved_connections')
            AS has_reserved
        FROM pg_roles r WHERE rolname = session_user
      ),
      place AS (SELECT oid, datname, datconnlimit FROM pg_database WHERE datname = current_database()),
      session AS (
        SELECT usesysid, datid,
          datid = (SELECT oid FROM place) AND coalesce(application_name, '') LIKE 'claimkeeper%' AS is_ours
        FROM pg_stat_activity
        WHERE usesysid IS NOT NULL AND pid <> pg_backend_pid()
          AND coalesce(backend_type, 'client backend') = 'client backend'
      ),
      bound AS (
        SELECT format('CONNECTION LIMIT of the role %s', rolname) AS name, rolconnlimit AS most, oid AS role, NULL::oid AS place
        FROM role WHERE rolconnlimit >= 0 AND NOT rolsuper
        UNION ALL
        SELECT format('CONNECTION LIMIT of the database %s', datname), datconnlimit, NULL, place.oid
        FROM place, role WHERE datconnlimit >= 0 AND NOT rolsuper
        UNION ALL
        SELECT CASE WHEN rolsuper THEN 'max_connections' ELSE 'max_connections without reserved connections' END,
          current_setting('max_connections')::integer - CASE WHEN rolsuper THEN 0 ELSE
            current_setting('superuser_reserved_connections')::integer
              + CASE WHEN has_reserved THEN 0 ELSE coalesce(current_setting('reserved_connections', true)::integer, 0) END
          END, NULL, NULL
        FROM role
      )
      SELECT name, most AS limit, count(*) FILTER (WHERE is_ours)::integer AS "ofClaimkeeper",
        count(*) FILTER (WHERE NOT is_ours)::integer AS "ofOthers"
      FROM bound LEFT JOIN session
        ON (role IS NULL OR role = usesysid) AND (bound.place IS NULL OR bound.place = datid)
      GROUP BY name, most`,
    readOnly: true,
  })
}
