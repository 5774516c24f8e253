export { BackupFault } from './fault.ts';
export { checkBackup, type Restored, restoreBackup } from './restore.ts';
export { type Taken, takeBackup } from './take.ts';
