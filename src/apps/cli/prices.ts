import type { RegisterCommand } from './command.ts';
import type { PriceOptions, ProviderOptions } from './prices-handlers.ts';

const loadHandlers = () => import('./prices-handlers.ts');

export const registerPrices: RegisterCommand = (program, context) => {
  const prices = program.command('prices').description('Prices of the meters.');
  prices
    .command('list')
    .description('Every price, the newest of each meter first.')
    .action(async () => (await loadHandlers()).list(context));
  prices
    .command('providers')
    .description('Costs of speech services elsewhere in a month, by service and region.')
    .option('--month <month>', 'a UTC month, as 2026-11; absent: this one')
    .action(async (options: ProviderOptions) => (await loadHandlers()).providers(context, options));
  prices
    .command('set')
    .description('Set the price of a meter from a future month on.')
    .argument('<meter>', 'hear, hear_async, speak, omni, agents_beta, telephony, amd or messages')
    .requiredOption('--from <month>', 'the first UTC month, as 2027-01')
    .requiredOption('--price <amount>', 'money for every so many units, as 0.05')
    .option('--per <units>', 'units (seconds, whole minutes of calls, calls, written answers)', '1')
    .option('--free <units>', 'units of each month that cost nothing', '0')
    .action(async (meter: string, options: PriceOptions) =>
      (await loadHandlers()).set(context, meter, options),
    );
};
