/** Quoted names and right-to-left words. */
const NAMES = /(“[^“”]*”|"(?:[^"\\]|\\.)*"|[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}]+)/u

/** A text in which right-to-left names do not reorder the words around them. */
export const BidiText = ({ text }: { text: string }) =>
  text.split(NAMES).map((part, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence stay where they are
    i % 2 === 1 ? <bdi key={i}>{part}</bdi> : part,
  )
