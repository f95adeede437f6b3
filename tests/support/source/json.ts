/* JSON: what tests use of the source. If a file of it moves, one line changes here and none in the tests. */

export { isJsonObject, type Json, type JsonObject } from '../../../src/domain/json.ts'
