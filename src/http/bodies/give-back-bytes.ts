/** What is smaller may wait for the collector: a megabyte can come in a hundred thousand pieces. */
const WORTH_IT = 4 * 1024

/**
 * Frees the memory of bytes that nobody looks at any more. To the collector they weigh next to nothing: it would leave a
 * hundred megabytes of them lying about. What shares its memory with others is left alone.
 */
export function giveBackBytes({ buffer, byteLength }: Buffer): void {
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  if (isWhole && byteLength >= WORTH_IT) buffer.transfer(0)
}
