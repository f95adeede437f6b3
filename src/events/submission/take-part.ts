import type { Line, Taken } from './line.ts'
import type { PendingSubmission } from './pending-submission.ts'
import { PARSED_BYTES } from './read-bounds.ts'

/** What one group takes. */
const GROUP_SIZE = 500
const GROUP_BYTES = 1024 * 1024

/** What is left of a group. */
interface Room {
  size: number
  bytes: number
  /** By what there is to read of the claims. */
  heavyBytes: number
}

export const newRoom = (): Room => ({ size: GROUP_SIZE, bytes: GROUP_BYTES, heavyBytes: PARSED_BYTES })

/** Takes an account's part of the room, one of so many, of its open lines; false if nothing fits any more. */
export function takePart(open: Line[], room: Room, parts: number, group: Taken[]): boolean {
  const part = {
    size: Math.ceil(room.size / parts),
    bytes: Math.ceil(room.bytes / parts),
    heavyBytes: Math.ceil(room.heavyBytes / parts),
  }
  let lines = 0
  for (const line of open) {
    if (line.goesAlone && group.length > 0) break
    const count = line.goesAlone ? 1 : countThatFit(line, line.waiting, part)
    // At least one of each account, however small its part is.
    const mayBeOne =
      lines === 0 && (group.length === 0 || countThatFit(line, line.waiting.slice(0, 1), { ...room }) > 0)
    if (count === 0 && !mayBeOne) break
    const submissions = line.waiting.splice(0, Math.max(count, 1))
    for (const { request } of submissions) room.bytes -= request.submission.payloadBytes
    room.size -= submissions.length
    room.heavyBytes -= line.heavyBytes
    group.push({ line, submissions })
    lines++
    if (line.goesAlone) room.size = 0
    if (line.goesAlone || part.size <= 0 || part.bytes <= 0) break
  }
  open.splice(0, lines)
  return lines > 0
}

function countThatFit({ heavyBytes }: Line, waiting: readonly PendingSubmission[], room: Room): number {
  if (room.heavyBytes < heavyBytes) return 0
  room.heavyBytes -= heavyBytes
  let count = 0
  for (const { request } of waiting) {
    const { payloadBytes } = request.submission
    if (room.size < 1 || room.bytes < payloadBytes) break
    room.size--
    room.bytes -= payloadBytes
    count++
  }
  return count
}
