import Value from 'typebox/value';
import { ApiError } from '../../foundation/platform/errors.ts';
import { GateError } from '../../foundation/platform/url-gate/index.ts';
import { adapterOf, type Outside, SettingsError } from './adapters/index.ts';
import type { NewDestination } from './contract.ts';

/** Validates a new destination and returns its address; throws a SettingsError that names the field. */
export function checkedAddress({ kind, url, settings }: NewDestination, outside: Outside): string {
  const adapter = adapterOf(kind);
  const [problem] = Value.Errors(adapter.settings, settings);
  if (problem !== undefined) throw wrong(paramOf(problem), `settings: ${problem.message}.`);
  try {
    return adapter.address(url, settings, outside);
  } catch (error) {
    if (error instanceof SettingsError) throw wrong(error.param, error.message);
    if (error instanceof GateError) throw wrong('url', error.message);
    throw error;
  }
}

const wrong = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });

function paramOf({ instancePath, params }: { instancePath: string; params: object }): string {
  const missing = (params as { requiredProperties?: string[] }).requiredProperties?.[0];
  const extra = (params as { additionalProperties?: string[] }).additionalProperties?.[0];
  const path = instancePath.split('/').slice(1);
  return ['settings', ...path, ...[missing ?? extra ?? []].flat()].join('.');
}
