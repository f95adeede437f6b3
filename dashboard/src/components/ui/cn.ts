import { type ClassValue, clsx } from 'clsx'
import { twMerge } from 'tailwind-merge'

/** Class names, the later ones winning over what they contradict. */
export const cn = (...classes: ClassValue[]): string => twMerge(clsx(classes))
