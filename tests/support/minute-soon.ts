/*
 * Loaded before the service (`--import`): sets its clock to some seconds before a whole minute, so that its first
 * check comes soon. Decisions of a check use the database's clock.
 */

const UNTIL_FIRST_CHECK_MS = Number(process.env.UNTIL_FIRST_CHECK_MS)
const RealDate = Date
const ahead = (120_000 - (RealDate.now() % 60_000) - UNTIL_FIRST_CHECK_MS) % 60_000

class ShiftedDate extends RealDate {
  constructor(...values: unknown[]) {
    if (values.length === 0) super(RealDate.now() + ahead)
    else super(...(values as [number]))
  }

  static override now(): number {
    return RealDate.now() + ahead
  }
}
globalThis.Date = ShiftedDate as DateConstructor
