/** How the HTTP layer tells better-auth the caller's address; from outside it is overwritten. */
export const CLIENT_ADDRESS_HEADER = 'x-claimkeeper-client-address'
