/** Which claims a run submits to. */
export interface ClaimPick {
  /** Number of the set of claims; each measurement has its own. */
  set: number
  /** Claims in the set, numbered from 1. */
  claims: number
  /**
   * Random: any claim, again and again. Otherwise each claim of the slice in turn, in an order without
   * neighbours: those whose number leaves the remainder `slice` when divided by `slices`. Or a block of claims after the
   * other, each block in several passes, of which the last settles its claims.
   */
  walk: 'random' | { slice: number; slices: number } | Passes
  /**
   * Only these, by their numbers: `each` submissions to the first group, then as many to the next. Each group is walked
   * through in its order, unless it is random.
   */
  only?: { groups: readonly (readonly number[])[]; each: number }
  /** The event settles the claim, which can happen once. */
  settles?: true
}

interface Passes {
  block: number
  passes: number
}

/** A prime, so that a walk by this step meets every claim before it meets one again. */
const STRIDE = 15_485_863

/** The claim that the submission with this number goes to. */
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

/** An even spread that is the same in every process. */
function scramble(number: number): number {
  let hash = Math.imul(number + 1, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The first 24 characters of the ids of a set's claims; twelve hexadecimal digits follow. */
export const idPrefix = (set: number): string => `${set.toString(16).padStart(8, '0')}-0000-7000-8000-`

export const claimId = (set: number, claim: number): string =>
  idPrefix(set) + claim.toString(16).padStart(12, '0')

export const eventId = (submission: number): string => `evt-${submission.toString().padStart(10, '0')}`

/** An event that leaves the claim OPEN, since it is not rated 4 or better; or one that settles it. */
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
