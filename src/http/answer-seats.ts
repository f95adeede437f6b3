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

/**
 * Of batches that do something, from before their body is read: of one account no more are begun than may wait to be
 * read, since what was done must be told. Those in work keep out nobody else.
 */
export class DeedSeats extends Seats {
  constructor() {
    super({
      most: Number.POSITIVE_INFINITY,
      mostOfOne: 64,
      mostStaying: 64,
      mostWaiting: 1_000,
      mostWaitingOfOne: 500,
      patienceMs: 10_000,
      refusal: 'Too many batches are in work, or their answers are not read.',
    })
  }
}
