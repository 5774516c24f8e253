import { COMMAND_LINE_ACTOR } from '../../foundation/audit/index.ts';
import type { CliContext } from './command.ts';
import { amountOf, withCoreServices } from './core-services.ts';
import type { CreditOptions } from './credits.ts';

export const add = (context: CliContext, options: CreditOptions): Promise<void> =>
  withCoreServices(context, async ({ billing }) => {
    const amountMicros = amountOf('--amount', options.amount) as number;
    const { reference, note } = options;
    const entry = await billing.addCredit({
      orgId: options.org,
      amountMicros,
      reference,
      note,
      by: COMMAND_LINE_ACTOR,
    });
    const { balanceMicros } = await billing.creditStatus({
      orgId: options.org,
      keyId: null,
      environment: 'live',
    });
    context.out(`${entry.id}: balance ${showAmount(balanceMicros)}`);
  });

export function showAmount(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const positive = micros < 0n ? -micros : micros;
  const fraction = String(positive % 1_000_000n).padStart(6, '0');
  return `${sign}${positive / 1_000_000n}.${fraction}`;
}
