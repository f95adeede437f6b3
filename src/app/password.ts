/** In characters. The upper limit bounds the work of hashing. */
export const PASSWORD_LENGTH = { min: 8, max: 128 }

/** As better-auth stores it: scrypt with a salt. Loaded when it is needed, to keep the start short. */
export async function hashPassword(password: string): Promise<string> {
  const crypto = await import('better-auth/crypto')
  return crypto.hashPassword(password)
}
