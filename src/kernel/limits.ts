/** Issues that a validation error names. A request with more issues must not cost more work or a larger response. */
export const MAX_ISSUES = 20
/** Characters of a path in an error. Longer paths are cut: a hostile request must not cause a large response. */
export const MAX_PATH_LENGTH = 1_000
/** Characters of a message in an error. */
export const MAX_MESSAGE_LENGTH = 1_000
/**
 * A condition of 32 levels needs 66.
 * @public levels of arrays and objects in a body
 */
export const MAX_JSON_DEPTH = 128
/** Characters of JSON that is parsed when it is read: at most 16 KiB of memory. Longer JSON may be kept as `RawJson`. */
export const MAX_EAGER_JSON_LENGTH = 512
/** Strings and numbers of JSON whose digits are checked in one step. */
export const MAX_TOKENS_PER_CHECK = 4_096
/** Keys of the metadata of a record. */
export const MAX_METADATA_KEYS = 50
/** Metadata pairs that filter a list. Each is looked up for each record. */
export const MAX_METADATA_FILTERS = 10
/** Characters of a key of metadata. */
export const MAX_METADATA_KEY_LENGTH = 40
/** Characters of a value of metadata. */
export const MAX_METADATA_VALUE_LENGTH = 500
