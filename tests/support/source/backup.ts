/* Backups: what tests use of the source. If a file of it moves, one line changes here and none in the tests. */

export { restoreBackup } from '../../../src/app/backup/restore-backup.ts'
export { writeBackup } from '../../../src/app/backup/write-backup.ts'
