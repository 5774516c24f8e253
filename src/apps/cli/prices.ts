import type { RegisterCommand } from './command.ts';
import type { PriceOptions, ProviderOptions } from './prices-handlers.ts';

const loadHandlers = () => import('./prices-handlers.ts');

export const registerPrices: RegisterCommand = (program, context) => {
  const prices = program.command('prices').description('Manage the prices of the meters.');
  prices
    .command('list')
    .description('List all prices, with the newest price of each meter first.')
    .action(async () => (await loadHandlers()).list(context));
  prices
    .command('providers')
    .description('List the costs of external speech services in a month, by service and region.')
    .option('--month <month>', 'a UTC month such as 2026-11 (default: the current month)')
    .action(async (options: ProviderOptions) => (await loadHandlers()).providers(context, options));
  prices
    .command('set')
    .description('Set the price of a meter, starting with a future month.')
    .argument('<meter>', 'hear, hear_async, speak, omni, agents_beta, telephony, amd or messages')
    .requiredOption('--from <month>', 'the first UTC month, such as 2027-01')
    .requiredOption('--price <amount>', 'the price of --per units, such as 0.05')
    .option(
      '--per <units>',
      'the number of units that the price covers (seconds, whole minutes of calls, calls or text answers)',
      '1',
    )
    .option('--free <units>', 'the number of free units per month', '0')
    .action(async (meter: string, options: PriceOptions) =>
      (await loadHandlers()).set(context, meter, options),
    );
};
