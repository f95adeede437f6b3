import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'

interface CopyButtonProps extends Omit<ButtonProps, 'onClick'> {
  text: string
  /** The label, such as "Copy token". */
  label: string
}

/** Copies a text. Without children, it is an icon button. */
export function CopyButton({ text, label, children, ...props }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    await copyText(text)
    setCopied(true)
  }
  return (
    <Button
      variant={children ? 'secondary' : 'ghost'}
      size={children ? 'sm' : 'icon'}
      {...props}
      aria-label={copied ? 'Copied' : label}
      title={label}
      onClick={copy}
    >
      {copied ? <Check aria-hidden className="text-confirmed" /> : <Copy aria-hidden />}
      {children}
    </Button>
  )
}

/** `navigator.clipboard` does not exist on pages over plain HTTP from another machine. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  ;(document.querySelector('dialog:modal') ?? document.body).append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
