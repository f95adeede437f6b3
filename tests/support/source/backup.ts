/* Backups: what several test files use of the source. When a source file moves, one line changes here. */

export { restoreBackup } from '../../../src/backup/restore-backup.ts'
export { writeBackup } from '../../../src/backup/write-backup.ts'
