import { ServiceError } from '../errors.ts'
import { countAttempt } from '../storage/throttles.ts'
import type { App } from './app.ts'

interface Rule {
  attempts: number
  windowSeconds: number
}

/** Of one address. */
export const SIGN_UPS: Rule = { attempts: 20, windowSeconds: 60 }
export const INVITATION_LOOKUPS: Rule = { attempts: 60, windowSeconds: 60 }

/** What passwords tried for one email are counted under, whether an account has it or not. */
export const attemptsOfEmail = (email: unknown): string => `email|${String(email).toLowerCase()}`

/** @throws RATE_LIMITED where it is one attempt too many, on all servers together. */
export async function throttle(app: App, key: string, rule: Rule): Promise<void> {
  const { attempts, endsInSeconds } = await countAttempt(app.db, key, rule.windowSeconds)
  if (attempts > rule.attempts) throw tooManyAttempts(endsInSeconds)
}

export function tooManyAttempts(retryAfterSeconds: number): ServiceError {
  return new ServiceError('RATE_LIMITED', `Too many attempts; try again in ${retryAfterSeconds} s.`, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}
