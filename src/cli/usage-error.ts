import { OperatorError } from '../operator-error.ts'

/** The command line cannot be understood, which takes more than one option to see: exit status 2. */
export class UsageError extends OperatorError {}
