/** The first 24 characters of the ids of the customers that claims are created for; twelve hexadecimal digits follow. */
export const customerPrefix = 'c0570000-0000-7000-8000-'

/** A claim for one of the customers, numbered from 1, under the contract or from the schema. */
export function creationJson(customers: number, source: string, creation: number): string {
  const customer = customerPrefix + (1 + (creation % customers)).toString(16).padStart(12, '0')
  return `{"customer_id":"${customer}",${source}}`
}
