import type { RegisterCommand } from './command.ts';

export interface CreditOptions {
  org: string;
  amount: string;
  reference?: string;
  note?: string;
}

export const registerCredits: RegisterCommand = (program, context) => {
  const credits = program.command('credits').description('Manage the prepaid credit of organizations.');
  credits
    .command('add')
    .description('Add credit to an organization.')
    .requiredOption('--org <id>', 'the organization')
    .requiredOption('--amount <amount>', 'the amount, such as 100 or 0.5')
    .option('--reference <text>', 'a unique name of the payment; a repeated reference is credited only once')
    .option('--note <text>', 'a note that is stored with the ledger entry')
    .action(async (options: CreditOptions) => (await import('./credits-handlers.ts')).add(context, options));
};
