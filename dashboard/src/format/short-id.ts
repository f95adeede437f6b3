/** Shortens a UUID. Version 7 starts with the time, so the end is shown too. Other names are not shortened. */
export const shortId = (id: string): string =>
  /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(id) ? `${id.slice(0, 8)}…${id.slice(-6)}` : id
