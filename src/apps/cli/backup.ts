import type { RegisterCommand } from './command.ts';

export interface RestoreChoices {
  readonly check?: true;
  readonly replace?: true;
}

const loadHandlers = () => import('./backup-handlers.ts');

export const registerBackup: RegisterCommand = (program, context) => {
  program
    .command('backup <folder>')
    .description('Back up the data folder into a new folder, while the server runs.')
    .action(async (folder: string) => (await loadHandlers()).backUp(context, folder));
};

export const registerRestore: RegisterCommand = (program, context) => {
  program
    .command('restore <folder>')
    .description('Verify every file of a backup, then restore it into the data folder.')
    .option('--check', 'verify the backup, and restore nothing')
    .option('--replace', 'move existing data aside, then restore')
    .action(async (folder: string, choices: RestoreChoices) =>
      (await loadHandlers()).restore(context, folder, choices),
    );
};
