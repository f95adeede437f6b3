import { cn } from './cn.ts'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  text: string
  /** The label of the copy button, such as "contract". */
  label: string
  /** Wraps long lines instead of scrolling. */
  wrap?: boolean
  /** The text to copy, if it differs from the shown text. */
  original?: string
}

/** JSON or a command with a copy button. */
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
