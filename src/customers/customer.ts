import type { Metadata } from '../kernel/metadata.ts'

/** A customer of an account (§2.6). */
export interface Customer {
  id: string
  userId: string
  externalId: string
  name: string | null
  metadata: Metadata
  createdAt: Date
}

/** What claims store of their customer. */
export type CustomerKey = Pick<Customer, 'id' | 'externalId'>
