import { v7 as uuidv7 } from 'uuid'
import type { Invitation } from '../../core/records.ts'
import { NOW } from '../../platform/database/clock.ts'
import type { Connection } from '../../platform/database/connection.ts'
import type { Place } from '../../platform/database/lists/list-page.ts'

interface InvitationRow {
  id: string
  email: string | null
  claims_user_id: string | null
  created_at: Date
  expires_at: Date
  used_at: Date | null
}

const COLUMNS = 'id, email, claims_user_id, created_at, expires_at, used_at'
/** It can still be used. */
const IS_OPEN = 'used_at IS NULL AND revoked_at IS NULL AND expires_at > clock_timestamp()'

const toInvitation = (row: InvitationRow): Invitation => ({
  id: row.id,
  email: row.email,
  claimsUserId: row.claims_user_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  usedAt: row.used_at,
})

export interface NewInvitation {
  /** SHA-256 of the key. */
  keyHash: Buffer
  email: string | null
  invitedBy: string | null
  claimsUserId: string | null
  lastsSeconds: number
  /** Open ones that the account which invites may have; null for as many as it likes. */
  most: number | null
}

/**
 * Null if the account that invites has as many open ones as it may. Those that are being added at the same moment are
 * not counted: an account may come to have a few more, as many as connections write at once.
 */
export async function insertInvitation(
  db: Connection,
  invitation: NewInvitation,
): Promise<Invitation | null> {
  const { keyHash, email, invitedBy, claimsUserId, lastsSeconds, most } = invitation
  const [row] = await db.query<InvitationRow>({
    name: 'insert_invitation',
    text: `-- insert_invitation
      INSERT INTO invitations (id, key_hash, email, invited_by, claims_user_id, created_at, expires_at)
      SELECT $1, $2, $3, $4, $5, now, now + make_interval(secs => $6)
      FROM ${NOW} AS now
      WHERE $7::int IS NULL OR (SELECT count(*) FROM invitations WHERE invited_by = $4 AND ${IS_OPEN}) < $7::int
      RETURNING ${COLUMNS}`,
    values: [uuidv7(), keyHash, email?.toLowerCase() ?? null, invitedBy, claimsUserId, lastsSeconds, most],
  })
  return row ? toInvitation(row) : null
}

/**
 * Deletes invitations of the account that can be used no more, the oldest ones beyond as many as are kept, at most a
 * hundred at once. One that somebody else is changing stays for the next time.
 */
export async function forgetEndedInvitations(db: Connection, userId: string, kept: number): Promise<void> {
  await db.query({
    name: 'forget_ended_invitations',
    text: `-- forget_ended_invitations
      DELETE FROM invitations WHERE id IN (
        SELECT id FROM invitations WHERE NOT (${IS_OPEN}) AND id = ANY (ARRAY(
          SELECT id FROM invitations WHERE invited_by = $1 AND NOT (${IS_OPEN})
          ORDER BY created_at DESC, id DESC OFFSET $2 LIMIT 100
        )) FOR UPDATE SKIP LOCKED)`,
    values: [userId, kept],
  })
}

/** The invitation with this key, if it can still be used. */
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
 * Takes the invitation for good, with the transaction that it belongs to: if two come with the same key the
 * second waits for the first, and finds it open only if the first was rolled back.
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

/** The next after a place of those that the account made and did not revoke, newest first. */
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

/** False if the account has made none with this id, or revoked it before. */
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

/** All keys to the account stop working. */
export async function revokeInvitationsTo(db: Connection, claimsUserId: string): Promise<void> {
  await db.query({
    text: `-- revoke_invitations_to
      UPDATE invitations SET revoked_at = ${NOW}
      WHERE claims_user_id = $1 AND used_at IS NULL AND revoked_at IS NULL`,
    values: [claimsUserId],
  })
}
