import { parseAmount } from '../../foundation/billing/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { type CoreServices, openCoreServices } from '../../main/main.ts';
import type { CliContext } from './command.ts';

export async function withCoreServices(
  context: CliContext,
  task: (services: CoreServices) => Promise<void>,
): Promise<void> {
  const config = context.config();
  const services = await openCoreServices(config, context.log(config));
  try {
    await task(services);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.error(`error: ${error.message}`);
    context.exit(1);
  } finally {
    await services.close();
  }
}

export const usageError = (message: string): ApiError => new ApiError('invalid_request', message);

export function wholeNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw usageError(`${option} must be a whole number from 1 to 99999, not ${text}.`);
}

export function amountOf(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const micros = parseAmount(text);
  if (micros === null)
    throw usageError(`${option} must be an amount above zero with at most six decimals, not ${text}.`);
  return micros;
}
