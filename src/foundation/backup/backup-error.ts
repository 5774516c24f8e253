/** Why a backup is not taken, or not restored: a line for the operator. */
export class BackupError extends Error {}
