/*
 * Limits of accounts, sessions and tokens.
 *
 * Each room has such a file. The comment of a limit gives the reason, the suffix of its name the unit (_MS, _SECONDS, _BYTES,
 * _LENGTH for characters; otherwise a count). `npm run generate` writes each limit whose comment ends with `@public` and a text
 * into the table of docs/spec.md §8.
 */

export interface AttemptRule {
  attempts: number
  /** The window begins with the first attempt. */
  windowSeconds: number
}

/** Per address. A few people behind one address may mistype; a search for passwords may not. */
export const SIGN_INS: AttemptRule = { attempts: 20, windowSeconds: 60 }
/** Per address. */
export const SIGN_UPS: AttemptRule = { attempts: 20, windowSeconds: 60 }
/** Per address. */
export const PASSWORD_CHANGES: AttemptRule = { attempts: 10, windowSeconds: 60 }
/** Per address. A lookup costs one statement and no hash. */
export const INVITATION_LOOKUPS: AttemptRule = { attempts: 60, windowSeconds: 60 }
/** Wrong passwords per email, from all addresses together. A correct password resets the count. */
export const SIGN_INS_PER_EMAIL: AttemptRule = { attempts: 10, windowSeconds: 15 * 60 }

export interface UnauthenticatedLimits {
  /** Requests in progress. */
  max: number
  maxQueuedPerAddress: number
  timeoutMs: number
}

/** Requests that wait for each `UnauthenticatedLimits`, from all addresses together. */
export const MAX_QUEUED_UNAUTHENTICATED = 50
/** Sign-ins, sign-ups and changes of passwords in progress: each costs a hash and statements. */
export const SIGN_INS_IN_PROGRESS: UnauthenticatedLimits = {
  max: 3,
  maxQueuedPerAddress: 10,
  timeoutMs: 20_000,
}
/** Lookups of invitations in progress: each costs a statement. */
export const INVITATION_LOOKUPS_IN_PROGRESS: UnauthenticatedLimits = {
  max: 1,
  maxQueuedPerAddress: 10,
  timeoutMs: 5_000,
}
/** A hash takes 128 MiB and a thread of libuv's pool, which files and DNS also need. All hashes share one key in place of an address. */
export const HASHES_IN_PROGRESS: UnauthenticatedLimits = {
  max: 1,
  maxQueuedPerAddress: MAX_QUEUED_UNAUTHENTICATED,
  timeoutMs: 20_000,
}

/** Rejected addresses and emails that a server keeps in memory. Beyond them the database counts the attempt again. */
export const MAX_CACHED_REJECTIONS = 20_000

/** The longest address that SMTP delivers to (RFC 5321). */
export const MAX_EMAIL_LENGTH = 254
/** What OWASP and NIST require of a password without a second factor. */
export const MIN_PASSWORD_LENGTH = 8
/** Bounds the work of hashing. */
export const MAX_PASSWORD_LENGTH = 128

/** A session that is not used for this long ends. */
export const SESSION_TTL_SECONDS = 14 * 86_400
/** A used session is extended at most once in this time, so that most requests write nothing. */
export const SESSION_RENEWAL_SECONDS = 86_400

/**
 * The list of tokens has no pages, so its length is bounded.
 * @public API tokens of an account that are neither expired nor revoked, else 422; tokens that are created at the same moment may exceed it; the command line has no limit
 */
export const MAX_ACTIVE_TOKENS_PER_ACCOUNT = 1_000
/**
 * The oldest are deleted when a token is created.
 * @public expired or revoked API tokens of an account that are kept
 */
export const MAX_ENDED_TOKENS_PER_ACCOUNT = 1_000
/**
 * The list of invitations has no pages, so its length is bounded.
 * @public open invitations of an account, else 422; invitations that are created at the same moment may exceed it; the command line has no limit
 */
export const MAX_OPEN_INVITATIONS_PER_ACCOUNT = 1_000
/**
 * The oldest are deleted when an invitation is created.
 * @public used or expired invitations of an account that are kept
 */
export const MAX_ENDED_INVITATIONS_PER_ACCOUNT = 1_000
/** Rows that one statement deletes: ended tokens, or ended invitations. */
export const ENDED_BATCH_SIZE = 100
/** @public validity of an invitation */
export const INVITATION_TTL_SECONDS = 7 * 86_400

/** Owners of tokens that a server keeps in memory. */
export const MAX_CACHED_TOKENS = 10_000
/** Authorization headers, in characters in all, whose hash is kept: about a thousand of the usual length. */
export const MAX_CACHED_HEADERS_LENGTH = 64 * 1024
/** How often a server proves that revocations reach it. */
export const REVOCATION_PROBE_INTERVAL_MS = 1_000
/** A probe that takes longer counts as failed. */
export const REVOCATION_PROBE_TIMEOUT_MS = 1_000
/**
 * How long cached tokens are accepted after a successful probe. A revocation waits this long for a server that does not
 * acknowledge it. Two probes may fail before the cache is dropped.
 */
export const TOKEN_CACHE_TRUST_MS = 3_000
/** How often a revocation asks whether all servers acknowledged it. They usually do within one round trip. */
export const REVOCATION_POLL_INTERVAL_MS = 5
/** A lost connection does not confirm its end, so closing it stops waiting after this time. */
export const CLOSE_WATCH_TIMEOUT_MS = 1_000

/** How often the last use of a token is written. */
export const TOKEN_USE_INTERVAL_SECONDS = 60
/** Tokens whose last write is remembered. Beyond them uses are written more often than needed. */
export const MAX_TRACKED_TOKEN_USES = 10_000
