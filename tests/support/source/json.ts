/* JSON: what several test files use of the source. When a source file moves, one line changes here. */

export { isJsonObject, type Json, type JsonObject } from '../../../src/kernel/json.ts'
