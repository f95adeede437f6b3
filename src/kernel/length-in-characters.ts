/** As limits count them: an emoji is one character, though JavaScript's strings hold two units for it. */
export function lengthInCharacters(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}
