import { v7 as uuidv7 } from 'uuid'
import type { Invitation } from '../../core/records.ts'
import { NOW } from '../../platform/database/clock.ts'
import type { Connection } from '../../platform/database/connection.ts'
import type { Place } from '../../platform/database/lists/list-page.ts'
import { ENDED_BATCH_SIZE } from '../limits.ts'

interface InvitationRow {
  id: string
  email: string | null
  claims_user_id: string | null
  created_at: Date
  expires_at: Date
  used_at: Date | null
}

const COLUMNS = 'id, email, claims_user_id, created_at, expires_at, used_at'
/** The condition that an invitation can be used. */
const IS_OPEN = 'used_at IS NULL AND revoked_at IS NULL AND expires_at > clock_timestamp()'

const toInvitation = (row: InvitationRow): Invitation => ({
  id: row.id,
  email: row.email,
  claimsUserId: row.claims_user_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  usedAt: row.used_at,
})

interface NewInvitation {
  /** SHA-256 of the key. */
  keyHash: Buffer
  email: string | null
  invitedBy: string | null
  claimsUserId: string | null
  ttlSeconds: number
  /** Maximum number of open invitations by `invitedBy`; null for no limit. */
  maxOpen: number | null
}

/**
 * Returns null if `maxOpen` is reached. Concurrent inserts do not count each other: an account may exceed the limit by as many
 * invitations as connections write at once.
 */
export async function insertInvitation(
  db: Connection,
  invitation: NewInvitation,
): Promise<Invitation | null> {
  const { keyHash, email, invitedBy, claimsUserId, ttlSeconds, maxOpen } = invitation
  const [row] = await db.query<InvitationRow>({
    name: 'insert_invitation',
    text: `-- insert_invitation
      INSERT INTO invitations (id, key_hash, email, invited_by, claims_user_id, created_at, expires_at)
      SELECT $1, $2, $3, $4, $5, now, now + make_interval(secs => $6)
      FROM ${NOW} AS now
      WHERE $7::int IS NULL OR (SELECT count(*) FROM invitations WHERE invited_by = $4 AND ${IS_OPEN}) < $7::int
      RETURNING ${COLUMNS}`,
    values: [uuidv7(), keyHash, email?.toLowerCase() ?? null, invitedBy, claimsUserId, ttlSeconds, maxOpen],
  })
  return row ? toInvitation(row) : null
}

/**
 * Deletes the account's used, revoked and expired invitations beyond the newest `kept`, a batch per call. Rows that are locked
 * are left to the next call.
 */
export async function forgetEndedInvitations(db: Connection, userId: string, kept: number): Promise<void> {
  await db.query({
    name: 'forget_ended_invitations',
    text: `-- forget_ended_invitations
      DELETE FROM invitations WHERE id IN (
        SELECT id FROM invitations WHERE NOT (${IS_OPEN}) AND id = ANY (ARRAY(
          SELECT id FROM invitations WHERE invited_by = $1 AND NOT (${IS_OPEN})
          ORDER BY created_at DESC, id DESC OFFSET $2 LIMIT ${ENDED_BATCH_SIZE}
        )) FOR UPDATE SKIP LOCKED)`,
    values: [userId, kept],
  })
}

/** The open invitation with this key; null if there is none. */
export async function findOpenInvitation(db: Connection, keyHash: Buffer): Promise<Invitation | null> {
  const [row] = await db.query<InvitationRow>({
    name: 'find_open_invitation',
    text: `-- find_open_invitation
      SELECT ${COLUMNS} FROM invitations WHERE key_hash = $1 AND ${IS_OPEN}`,
    values: [keyHash],
    readOnly: true,
  })
  return row ? toInvitation(row) : null
}

/**
 * Marks the invitation as used, in the caller's transaction; null if it is not open. Of two requests with the same key, the second
 * waits for the first, and succeeds only if the first is rolled back.
 */
export async function useInvitation(db: Connection, keyHash: Buffer): Promise<Invitation | null> {
  const [row] = await db.query<InvitationRow>({
    name: 'use_invitation',
    text: `-- use_invitation
      UPDATE invitations SET used_at = ${NOW}
      WHERE key_hash = $1 AND ${IS_OPEN} RETURNING ${COLUMNS}`,
    values: [keyHash],
  })
  return row ? toInvitation(row) : null
}

/** The account's invitations after a position, newest first, without revoked ones. */
export async function listInvitationsOf(
  db: Connection,
  userId: string,
  after: Place,
  limit: number,
): Promise<{ item: Invitation; place: Place }[]> {
  const rows = await db.query<InvitationRow & { place_time: string }>({
    name: 'list_invitations_of',
    text: `-- list_invitations_of
      SELECT ${COLUMNS}, created_at::text AS place_time FROM invitations
      WHERE invited_by = $1 AND revoked_at IS NULL AND (created_at, id) < ($2::timestamptz, $3::uuid)
      ORDER BY created_at DESC, id DESC LIMIT $4`,
    values: [userId, after.time, after.id, limit],
    readOnly: true,
  })
  return rows.map((row) => ({ item: toInvitation(row), place: { time: row.place_time, id: row.id } }))
}

/** Returns false if the account has no such invitation, or has already revoked it. */
export async function revokeInvitationOf(db: Connection, userId: string, id: string): Promise<boolean> {
  const rows = await db.query({
    name: 'revoke_invitation_of',
    text: `-- revoke_invitation_of
      UPDATE invitations SET revoked_at = ${NOW}
      WHERE invited_by = $1 AND id = $2 AND revoked_at IS NULL RETURNING id`,
    values: [userId, id],
  })
  return rows.length === 1
}

/** Revokes all invitations that set up this account. */
export async function revokeInvitationsTo(db: Connection, claimsUserId: string): Promise<void> {
  await db.query({
    text: `-- revoke_invitations_to
      UPDATE invitations SET revoked_at = ${NOW}
      WHERE claims_user_id = $1 AND used_at IS NULL AND revoked_at IS NULL`,
    values: [claimsUserId],
  })
}
