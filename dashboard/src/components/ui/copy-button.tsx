import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'

interface CopyButtonProps extends Omit<ButtonProps, 'onClick'> {
  text: string
  /** What is copied: "Copy token". */
  label: string
}

/** Copies a text; with children a button with words, without an icon alone. */
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

/** The clipboard's own interface is missing if the page came over plain HTTP from another machine. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  ;(document.querySelector('dialog:modal') ?? document.body).append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
