import { OperatorError } from '../../kernel/operator-error.ts'

/** A usage error that one option alone does not show. Exit status 2. */
export class UsageError extends OperatorError {}
