/* Errors: what tests use of the source. If a file of it moves, one line changes here and none in the tests. */

export { ERRORS } from '../../../src/errors/catalogue.ts'
export { type ErrorCode, ServiceError } from '../../../src/errors.ts'
export { OperatorError } from '../../../src/operator-error.ts'
