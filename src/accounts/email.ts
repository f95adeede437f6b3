import { MAX_EMAIL_LENGTH } from './limits.ts'

/** The emails that better-auth accepts at sign-in: the domain needs a dot. */
const EMAIL = /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/

/** Whether better-auth accepts the email at sign-in. */
export const isEmail = (text: string): boolean => text.length <= MAX_EMAIL_LENGTH && EMAIL.test(text)
