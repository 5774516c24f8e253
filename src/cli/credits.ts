import type { RegisterCommand } from './command.ts';
import { amountOf, withRooms } from './keys.ts';

export const registerCredits: RegisterCommand = (program, context) => {
  const credits = program.command('credits').description('Prepaid credit of organizations.');
  credits
    .command('add')
    .description('Add credit to an organization.')
    .requiredOption('--org <id>', 'the organization')
    .requiredOption('--amount <amount>', 'e.g. 100 or 0.5')
    .option('--reference <text>', 'the payment’s own name: added twice, it counts once')
    .option('--note <text>', 'kept with the ledger entry')
    .action((options: { org: string; amount: string; reference?: string; note?: string }) =>
      withRooms(context, async ({ billing }) => {
        const amountMicros = amountOf('--amount', options.amount) as number;
        const { reference, note } = options;
        const entry = await billing.addCredit({ orgId: options.org, amountMicros, reference, note });
        const { balanceMicros } = await billing.standing({
          orgId: options.org,
          keyId: null,
          environment: 'live',
        });
        context.out(`${entry.id}: balance ${showAmount(balanceMicros)}`);
      }),
    );
};

/** Micro-units as a decimal, exactly. */
export function showAmount(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const positive = micros < 0n ? -micros : micros;
  const fraction = String(positive % 1_000_000n).padStart(6, '0');
  return `${sign}${positive / 1_000_000n}.${fraction}`;
}
