import type { FastifySchemaValidationError } from 'fastify';
import { ApiError } from '../../platform/errors.ts';

type Failure = FastifySchemaValidationError & { parentSchema?: Record<string, unknown> };

/** Names the field and says what was expected there, for the first thing that is wrong. */
export function validationError(failures: readonly FastifySchemaValidationError[], where: string): ApiError {
  const failure = decisive(failures as readonly Failure[]);
  const base = pathOf(failure.instancePath);
  const inner = failure.params as Record<string, unknown>;
  if (failure.keyword === 'additionalProperties' || failure.keyword === 'unevaluatedProperties') {
    const name = join(base, String(inner.additionalProperty ?? inner.unevaluatedProperty));
    return unknownField(name, where === 'querystring' ? 'query parameter' : 'field');
  }
  if (failure.keyword === 'required') {
    const name = join(base, String(inner.missingProperty));
    return new ApiError('invalid_request', `${name} is required.`, { param: name });
  }
  const subject = base === '' ? `The ${where === 'querystring' ? 'query' : where}` : base;
  return new ApiError('invalid_request', `${subject} ${expectationOf(failure)}.`, {
    ...(base === '' ? {} : { param: base }),
  });
}

export const unknownField = (name: string, kind = 'field'): ApiError =>
  new ApiError('invalid_request', `Unknown ${kind} ${name}.`, { param: name });

/** Of a union's failures the last speaks for the whole; otherwise the first. */
function decisive(failures: readonly Failure[]): Failure {
  return failures.find((one) => one.keyword === 'anyOf' || one.keyword === 'oneOf') ?? failures[0]!;
}

const pathOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');

const join = (base: string, name: string): string => (base === '' ? name : `${base}.${name}`);

function expectationOf(failure: Failure): string {
  const params = failure.params as Record<string, unknown>;
  switch (failure.keyword) {
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'const':
      return `must be ${String(params.allowedValue)}`;
    case 'anyOf':
    case 'oneOf':
      return unionExpectation(failure);
    default:
      return failure.message ?? 'is not valid';
  }
}

function unionExpectation(failure: Failure): string {
  const branches = (failure.parentSchema?.[failure.keyword] ?? []) as { const?: unknown; type?: unknown }[];
  const said = branches.map((branch) => branch.const ?? branch.type).filter((one) => one !== undefined);
  return said.length === branches.length && said.length > 0
    ? `must be one of ${said.join(', ')}`
    : 'matches none of the forms it may take';
}
