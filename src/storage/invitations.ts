import { v7 as uuidv7 } from 'uuid'
import type { Connection } from './database.ts'

/** A one-time key for signing up, without the key itself. */
export interface Invitation {
  id: string
  /** Who may use it, in lower case; null for anyone who has the key. */
  email: string | null
  /** The account whose email, name and password it sets; null where it makes a new one. */
  claimsUserId: string | null
  createdAt: Date
  expiresAt: Date
  usedAt: Date | null
}

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
}

export async function insertInvitation(db: Connection, invitation: NewInvitation): Promise<Invitation> {
  const { keyHash, email, invitedBy, claimsUserId, lastsSeconds } = invitation
  const [row] = await db.query<InvitationRow>({
    name: 'insert_invitation',
    text: `-- insert_invitation
      INSERT INTO invitations (id, key_hash, email, invited_by, claims_user_id, created_at, expires_at)
      SELECT $1, $2, lower($3), $4, $5, now, now + make_interval(secs => $6)
      FROM date_trunc('milliseconds', clock_timestamp()) AS now
      RETURNING ${COLUMNS}`,
    values: [uuidv7(), keyHash, email, invitedBy, claimsUserId, lastsSeconds],
  })
  return toInvitation(row as InvitationRow)
}

/** The invitation with this key, where it can still be used. */
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
 * Takes the invitation for good, with the transaction that it belongs to: where two come with the same key the
 * second waits for the first, and finds it open only where the first was rolled back.
 */
export async function useInvitation(db: Connection, keyHash: Buffer): Promise<Invitation | null> {
  const [row] = await db.query<InvitationRow>({
    name: 'use_invitation',
    text: `-- use_invitation
      UPDATE invitations SET used_at = date_trunc('milliseconds', clock_timestamp())
      WHERE key_hash = $1 AND ${IS_OPEN} RETURNING ${COLUMNS}`,
    values: [keyHash],
  })
  return row ? toInvitation(row) : null
}

/** Those that the account made and did not revoke, newest first. */
export async function listInvitationsOf(db: Connection, userId: string): Promise<Invitation[]> {
  const rows = await db.query<InvitationRow>({
    name: 'list_invitations_of',
    text: `-- list_invitations_of
      SELECT ${COLUMNS} FROM invitations WHERE invited_by = $1 AND revoked_at IS NULL
      ORDER BY created_at DESC, id DESC`,
    values: [userId],
    readOnly: true,
  })
  return rows.map(toInvitation)
}

/** False where the account has made none with this id, or revoked it before. */
export async function revokeInvitationOf(db: Connection, userId: string, id: string): Promise<boolean> {
  const rows = await db.query({
    name: 'revoke_invitation_of',
    text: `-- revoke_invitation_of
      UPDATE invitations SET revoked_at = clock_timestamp()
      WHERE invited_by = $1 AND id = $2 AND revoked_at IS NULL RETURNING id`,
    values: [userId, id],
  })
  return rows.length === 1
}

/** Earlier keys to the account stop working. */
export async function revokeInvitationsTo(db: Connection, claimsUserId: string): Promise<void> {
  await db.query({
    text: `-- revoke_invitations_to
      UPDATE invitations SET revoked_at = clock_timestamp()
      WHERE claims_user_id = $1 AND used_at IS NULL AND revoked_at IS NULL`,
    values: [claimsUserId],
  })
}
