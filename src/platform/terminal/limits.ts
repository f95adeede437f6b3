/* Limits of the command line's process. */

/** After a signal, work that does not end within this time is killed. */
export const STOP_TIMEOUT_MS = 8_000
/** Bytes of log lines that wait while the disk is full. Later lines are lost. Each line is shorter than this. */
export const MAX_BUFFERED_LOG_BYTES = 8 * 1024 * 1024
