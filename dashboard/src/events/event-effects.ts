import { RotateCcw, Undo2 } from 'lucide-react'
import { durationInWords } from '../../../src/core/contracts/contract-in-words.ts'

/* What an event did to a claim in review (§2.1a). */

export const EFFECT_WORDS = { reversed: 'reversed the outcome', restarted: 'restarted the review' } as const
export const EFFECT_TONE = { reversed: 'failed', restarted: 'pending' } as const
export const EFFECT_ICON = { reversed: Undo2, restarted: RotateCcw } as const

/** @param seconds since the window ended */
export const lateInWords = (seconds: number): string =>
  `late by ${seconds === 0 ? '0 seconds' : durationInWords(seconds)}`
