/** The value with its line breaks. */
export const MetadataValue = ({ text }: { text: string }) =>
  text.trim() === '' ? <>(blank)</> : <bdi className="whitespace-pre-wrap">{text}</bdi>
