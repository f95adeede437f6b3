import { Seats } from './seats.ts'

/**
 * Answers that do not fit into one piece take a seat while they are sent, so that all of them together have a bound
 * in memory, however many are asked for and however slowly they are read: each holds up to a megabyte. An account has
 * a third of the seats at most.
 */
export class AnswerSeats extends Seats {
  constructor() {
    super({
      most: 64,
      mostOfOne: 20,
      mostWaiting: 64,
      mostWaitingOfOne: 20,
      patienceMs: 10_000,
      refusal: 'Too many large answers are being sent.',
    })
  }
}
