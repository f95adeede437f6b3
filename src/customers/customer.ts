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

/** The parts of a customer that claims store. */
export type CustomerKey = Pick<Customer, 'id' | 'externalId'>
