/**
 * What comes with the program besides its code. From here, and from any part of `dist/`, which has them all in one folder, the
 * package's root is one folder up.
 */
export const packageFile = (path: string): URL => new URL(`../${path}`, import.meta.url)

export const MIGRATIONS_FOLDER = new URL('./platform/database/migrations/', import.meta.url)
