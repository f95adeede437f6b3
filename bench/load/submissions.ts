/** Which claims a run submits to. */
export interface ClaimPick {
  /** Number of the set of claims. Each measurement has a different set. */
  set: number
  /** Claims in the set, numbered from 1. */
  claims: number
  /**
   * Random: any claim, repeatedly. Slice: each claim whose number modulo `slices` is `slice`, such that consecutive
   * submissions do not go to neighbouring claims. Passes: one block of claims after the other, each in several passes; the
   * last pass settles its claims.
   */
  walk: 'random' | { slice: number; slices: number } | Passes
  /**
   * Restricts the claims to groups of numbers: `each` submissions to the first group, then as many to the next. Within a
   * group submissions go to the claims in order, unless `walk` is random.
   */
  only?: { groups: readonly (readonly number[])[]; each: number }
  /** Each event settles its claim, which is possible once. */
  settles?: true
}

interface Passes {
  block: number
  passes: number
}

/** A prime, so that a walk by this step visits every claim once before it visits a claim again. */
const STRIDE = 15_485_863

/** The claim of the submission with this number. */
export function claimOf(pick: ClaimPick, submission: number): number {
  if (pick.only) {
    const { groups, each } = pick.only
    const turn = Math.floor(submission / each)
    const group = groups[turn % groups.length] as readonly number[]
    const inOrder = Math.floor(turn / groups.length) * each + (submission % each)
    return group[(pick.walk === 'random' ? scramble(submission) : inOrder) % group.length] as number
  }
  if (pick.walk === 'random') return 1 + (scramble(submission) % pick.claims)
  if ('passes' in pick.walk) {
    const { block, passes } = pick.walk
    return 1 + block * Math.floor(submission / (block * passes)) + (submission % block)
  }
  const { slice, slices } = pick.walk
  const size = Math.floor(pick.claims / slices)
  return 1 + slice + slices * ((submission * STRIDE) % size)
}

/** A uniform hash that is the same in every process. */
function scramble(number: number): number {
  let hash = Math.imul(number + 1, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The first 24 characters of the ids of a set's claims. Twelve hexadecimal digits follow. */
export const idPrefix = (set: number): string => `${set.toString(16).padStart(8, '0')}-0000-7000-8000-`

export const claimId = (set: number, claim: number): string =>
  idPrefix(set) + claim.toString(16).padStart(12, '0')

export const eventId = (submission: number): string => `evt-${submission.toString().padStart(10, '0')}`

/** An event that settles the claim, or one with a value below 4, which leaves it OPEN. */
export function submissionJson(pick: ClaimPick, submission: number): string {
  const claim = claimId(pick.set, claimOf(pick, submission))
  const settles = pick.settles || isOfLastPass(pick, submission)
  const type = settles || submission % 2 === 0 ? 'satisfaction' : 'agent_replied'
  const value = settles ? 5 : 1 + (submission % 3)
  return `{"claim_id":"${claim}","id":"${eventId(submission)}","type":"${type}","value":${value},"agent":"a-17"}`
}

function isOfLastPass({ walk }: ClaimPick, submission: number): boolean {
  if (typeof walk === 'string' || !('passes' in walk)) return false
  const { block, passes } = walk
  return Math.floor(submission / block) % passes === passes - 1
}
