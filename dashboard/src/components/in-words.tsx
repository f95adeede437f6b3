/** Names between quotes, and any words that are written from right to left. */
const NAMES = /(“[^“”]*”|"(?:[^"\\]|\\.)*"|[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}]+)/u

/** A sentence of a contract, in which names turn nothing around. */
export const InWords = ({ text }: { text: string }) =>
  text.split(NAMES).map((part, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence stay where they are
    i % 2 === 1 ? <bdi key={i}>{part}</bdi> : part,
  )
