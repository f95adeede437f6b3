/** Name of the service's database and of the role that owns it. */
export const DATABASE = 'claimkeeper'

/** The cluster's first role. The application's own role is not a superuser. */
export const SUPERUSER = 'postgres'
