import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a text with authentication: without the key the text cannot be read or changed.
 * @param key 32 bytes
 * @param additionalData authenticated, not encrypted; decryption needs the same data
 */
export function seal(key: Buffer, text: string, additionalData: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(additionalData))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** Null if the key or the additional data differ. */
export function unseal(key: Buffer, sealed: Buffer, additionalData: string): string | null {
  const iv = sealed.subarray(0, IV_BYTES)
  const tag = sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)
  try {
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(additionalData)).setAuthTag(tag)
    const text = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
    return text.toString('utf8')
  } catch {
    return null
  }
}
