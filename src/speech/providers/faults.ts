import { GateError } from '../../foundation/platform/url-gate/index.ts';
import { ProviderError } from './contract.ts';

export function statusError(status: number, said = ''): ProviderError {
  const detail = said === '' ? '' : `: ${said.slice(0, 200)}`;
  const message = `the provider responded with status ${status}${detail}`;
  if (status === 429) return new ProviderError('overloaded', message);
  return new ProviderError(status >= 500 ? 'unreachable' : 'refused', message);
}

export function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof GateError) {
    const fault =
      error.reason === 'timeout' ? 'timeout' : error.reason === 'too_large' ? 'garbage' : 'unreachable';
    return new ProviderError(fault, error.message, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new ProviderError('unreachable', message, { cause: error });
}
