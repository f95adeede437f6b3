import { setPriority } from 'node:os'

const NICENESS = 10

/** What takes long beside the service gets the processor after it. */
export const giveWayToService = (): void => setPriority(NICENESS)
