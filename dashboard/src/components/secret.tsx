import { CopyButton } from './copy-button.tsx'

interface SecretProps {
  text: string
  /** Such as "token". */
  label: string
}

/** A secret that is shown once, with a copy button. */
export const Secret = ({ text, label }: SecretProps) => (
  <div className="flex items-center gap-3 rounded-lg bg-sunken p-3">
    <code className="min-w-0 flex-1 font-mono text-[0.8125rem] break-all">{text}</code>
    <CopyButton text={text} label={`Copy ${label}`} autoFocus>
      Copy
    </CopyButton>
  </div>
)
