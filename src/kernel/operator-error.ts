/** A problem that its reader can mend: printed as one line, exit status 1. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'

  constructor(message: string, options?: ErrorOptions) {
    // Parts of the message may come from other programs. The message must be one line.
    super(message.trim().replace(/\s*\n\s*/g, '; '), options)
  }
}

/** A usage error that one option alone does not show. Exit status 2. */
export class UsageError extends OperatorError {}
