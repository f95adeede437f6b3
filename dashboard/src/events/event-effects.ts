import { Pause, Play, RotateCcw, Undo2 } from 'lucide-react'
import { durationInWords } from '../../../src/core/contracts/contract-in-words.ts'

/* What an event did to a claim, besides satisfying its condition (§2.1a). */

export const EFFECT_WORDS = {
  reversed: 'reversed the outcome',
  restarted: 'restarted the review',
  paused: 'stopped the clock',
  resumed: 'continued the clock',
} as const
export const EFFECT_TONE = {
  reversed: 'failed',
  restarted: 'pending',
  paused: 'neutral',
  resumed: 'open',
} as const
export const EFFECT_ICON = { reversed: Undo2, restarted: RotateCcw, paused: Pause, resumed: Play } as const

export type EventEffect = keyof typeof EFFECT_WORDS

/** @param seconds since the window ended */
export const lateInWords = (seconds: number): string =>
  `late by ${seconds === 0 ? '0 seconds' : durationInWords(seconds)}`
