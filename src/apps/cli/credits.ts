import type { RegisterCommand } from './command.ts';

export interface CreditOptions {
  org: string;
  amount: string;
  reference?: string;
  note?: string;
}

export const registerCredits: RegisterCommand = (program, context) => {
  const credits = program.command('credits').description('Prepaid credit of organizations.');
  credits
    .command('add')
    .description('Add credit to an organization.')
    .requiredOption('--org <id>', 'the organization')
    .requiredOption('--amount <amount>', 'e.g. 100 or 0.5')
    .option('--reference <text>', 'the payment’s own name: added twice, it counts once')
    .option('--note <text>', 'kept with the ledger entry')
    .action(async (options: CreditOptions) => (await import('./credits-handlers.ts')).add(context, options));
};
