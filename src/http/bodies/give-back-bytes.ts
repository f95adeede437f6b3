/**
 * Frees the memory of bytes that nobody looks at any more. To the collector they weigh next to nothing: it would leave a
 * hundred megabytes of them lying about. What shares its memory with others is left alone.
 */
export function giveBackBytes({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
