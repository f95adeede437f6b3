/** A file of the package. The root is one folder up, both from `src/` and from the bundle, whose files are all in `dist/`. */
export const packageFile = (path: string): URL => new URL(`../${path}`, import.meta.url)

export const MIGRATIONS_FOLDER = new URL('./platform/database/migrations/', import.meta.url)
