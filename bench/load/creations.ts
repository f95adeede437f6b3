/** All customer ids start with this prefix. The number of the customer follows, in twelve hexadecimal digits. */
export const customerPrefix = 'c0570000-0000-7000-8000-'

/**
 * The body of a creation. Successive creations use the customers in turn.
 * @param termsField a field of the body as JSON: `contract` or `schema_id`
 */
export function creationJson(customerCount: number, termsField: string, number: number): string {
  const customer = customerPrefix + (1 + (number % customerCount)).toString(16).padStart(12, '0')
  return `{"customer_id":"${customer}",${termsField}}`
}
