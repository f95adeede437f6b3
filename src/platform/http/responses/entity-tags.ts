import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ExpectedVersions } from '../../../core/records.ts'
import { validationError } from '../../../kernel/errors.ts'

/** For operations that change a record. */
export const IfMatchHeader = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'ETags of the record when it was read. If the record no longer has any of them, the response is 412 and nothing changes.',
      examples: ['"5f0c6b7ad3e14f0fa1b2c3d4e5f60718"'],
    }),
  ),
})

/** For operations that read a record. */
export const IfNoneMatchHeader = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      description: 'ETags that the caller has. If the record has one of them, the response is 304.',
      examples: ['"5f0c6b7ad3e14f0fa1b2c3d4e5f60718"'],
    }),
  ),
})

interface Tag {
  isWeak: boolean
  /** As received, without quotes. */
  sent: string
  /** The tag of the record, without the suffix of the response's encoding. */
  text: string
}

/** Suffix of the ETag of a compressed response (`compress-answer.ts`). */
const ENCODED = /\+(?:zstd|br|gzip)$/

/** One tag of a list. Empty members are skipped. Each part begins with another character, so matching takes linear time. */
const TAG = /[\t ,]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(?:,|$)/y
const NOTHING_MORE = /[\t ,]*$/y

/** Repeated headers are joined by commas. @throws VALIDATION_ERROR */
function parseTags(name: string, header: string): Tag[] | '*' {
  if (header.trim() === '*') return '*'
  const tags: Tag[] = []
  let at = 0
  for (;;) {
    TAG.lastIndex = at
    const [, weak, sent] = TAG.exec(header) ?? []
    if (sent === undefined) break
    tags.push({ isWeak: weak !== undefined, sent, text: sent.replace(ENCODED, '') })
    at = TAG.lastIndex
  }
  NOTHING_MORE.lastIndex = at
  if (tags.length > 0 && NOTHING_MORE.test(header)) return tags
  const message = 'must be * or ETags in double quotes, separated by commas, such as "5f0c6b7a"'
  throw validationError([{ path: name, message }])
}

/**
 * The versions that a change requires. Null for any, also for `*`, because a missing record answers 404.
 * @param versionOf extracts the record's version from a strong tag
 * @throws VALIDATION_ERROR
 */
export function expectedVersions(
  header: string | undefined,
  versionOf: (tag: string) => string = (tag) => tag,
): ExpectedVersions {
  if (header === undefined) return null
  const tags = parseTags('If-Match', header)
  if (tags === '*') return null
  return [...new Set(tags.filter(({ isWeak }) => !isWeak).map(({ text }) => versionOf(text)))]
}

/** @param tag without its quotes */
export const etagHeader = (tag: string) => ({ ETag: `"${tag}"` })

/**
 * The first part of a tag with two parts. A change is compared with it. The second part also changes without a change
 * by a caller.
 */
export const versionOfTag = (tag: string): string => tag.slice(0, Math.max(tag.indexOf('.'), 0))

/**
 * Sends a record with its ETag, or 304 if the caller has the record already.
 * @throws VALIDATION_ERROR
 */
export function sendWithETag(
  request: FastifyRequest,
  reply: FastifyReply,
  tag: string,
  body: object,
): FastifyReply {
  return isNotModified(request, reply, tag) ? reply.send() : reply.send(body)
}

/**
 * Whether the caller already has this version of the record. Sets the header ETag, and then the status 304.
 * @throws VALIDATION_ERROR
 */
export function isNotModified(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  const header = request.headers['if-none-match']
  const tags = header === undefined ? [] : parseTags('If-None-Match', header)
  // In the form that the caller sent.
  const cachedTag = tags === '*' ? tag : tags.find(({ text }) => text === tag)?.sent
  reply.headers(etagHeader(cachedTag ?? tag))
  if (cachedTag !== undefined) reply.code(304).header('Vary', 'Accept-Encoding')
  return cachedTag !== undefined
}
