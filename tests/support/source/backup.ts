/* Backups: what several test files use of the source. When a source file moves, one line changes here. */

export { restoreBackup } from '../../../src/app/backup/restore-backup.ts'
export { writeBackup } from '../../../src/app/backup/write-backup.ts'
