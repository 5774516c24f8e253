import { COMMAND_LINE_ACTOR } from '../../foundation/audit/index.ts';
import { monthOf, type ProviderCostTotal } from '../../foundation/billing/index.ts';
import type { PriceRow } from '../../foundation/storage/tables/billing.ts';
import type { CliContext } from './command.ts';
import { amountOf, usageError, withCoreServices } from './core-services.ts';
import { showAmount } from './credits-handlers.ts';

export interface PriceOptions {
  readonly from: string;
  readonly price: string;
  readonly per: string;
  readonly free: string;
}

export interface ProviderOptions {
  readonly month?: string;
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

function unitsOf(option: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw usageError(`${option} must be an integer of at least ${least}, not ${text}.`);
  return value;
}

const line = ({ meter, from_month, unit, micros, per, free_units }: PriceRow): string =>
  `${meter} from=${from_month} price=${showAmount(BigInt(micros))} per=${per} unit=${unit} free=${free_units}`;

export const list = (context: CliContext): Promise<void> =>
  withCoreServices(context, async ({ billing }) => {
    for (const row of await billing.priceBook.list()) context.out(line(row));
  });

export const providers = (context: CliContext, { month }: ProviderOptions): Promise<void> =>
  withCoreServices(context, async ({ billing, clock }) => {
    if (month !== undefined && !MONTH.test(month))
      throw usageError(`--month must be a month such as 2027-01, not ${month}.`);
    for (const total of await billing.providerCosts(month ?? monthOf(clock.now())))
      context.out(providerLine(total));
  });

const providerLine = (total: ProviderCostTotal): string =>
  [
    `${total.provider} kind=${total.kind}${total.credential === 'customer' ? ' key=customer' : ''} region=${total.region ?? '-'} host=${total.host}`,
    `calls=${total.calls} requests=${total.requests} characters=${total.characters}`,
    `sound_s=${Math.round(total.soundMs / 1000)} failures=${total.failures} cost=${showAmount(total.costMicros)}`,
  ].join(' ');

export const set = (context: CliContext, name: string, options: PriceOptions): Promise<void> =>
  withCoreServices(context, async ({ billing }) => {
    if (!MONTH.test(options.from))
      throw usageError(`--from must be a month such as 2027-01, not ${options.from}.`);
    const known = (await billing.priceBook.list()).find(({ meter }) => meter === name);
    if (known === undefined) throw usageError(`There is no meter ${name}.`);
    const price = {
      meter: known.meter,
      from_month: options.from,
      micros: options.price === '0' ? 0 : (amountOf('--price', options.price) as number),
      per: unitsOf('--per', options.per, 1),
      free_units: unitsOf('--free', options.free, 0),
    };
    context.out(line(await billing.priceBook.put(price, COMMAND_LINE_ACTOR)));
  });
