import { cn } from './cn.ts'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  text: string
  /** What it is, for screen readers and the copy button: "contract". */
  label: string
  /** Breaks long lines in place of scrolling. */
  wrap?: boolean
  /** What is copied, if it is not the text as it is shown. */
  original?: string
}

/** JSON or a command, to read and to copy. */
export function CodeBlock({ text, label, wrap = false, original = text }: CodeBlockProps) {
  return (
    <div className="relative">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className={cn(
          'max-h-96 overflow-auto rounded-lg bg-sunken p-3.5 pr-12 font-mono text-xs leading-5',
          wrap && 'break-all whitespace-pre-wrap',
        )}
      >
        {text}
      </pre>
      <CopyButton text={original} label={`Copy ${label}`} className="absolute top-1 right-1" />
    </div>
  )
}
