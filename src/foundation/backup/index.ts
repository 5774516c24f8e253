export { BackupError } from './backup-error.ts';
export { checkBackup, type RestoreSummary, restoreBackup } from './restore-backup.ts';
export { type BackupSummary, takeBackup } from './take-backup.ts';
