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
    .option('--check', 'read the backup and say whether it is whole; restore nothing')
    .option('--replace', 'put data that is there aside, and restore over it')
    .action(async (folder: string, choices: RestoreChoices) =>
      (await loadHandlers()).restore(context, folder, choices),
    );
};
