import type { FastifySchemaValidationError } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { charactersOf, printableFieldName, printableValue } from '../../../foundation/platform/printable.ts';

type Failure = FastifySchemaValidationError & { parentSchema?: Record<string, unknown>; data?: unknown };

export function validationError(failures: readonly FastifySchemaValidationError[], where: string): ApiError {
  const failure = mostSpecificFailure(failures as readonly Failure[]);
  const base = printableFieldName(pathOf(failure.instancePath));
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
  return new ApiError('invalid_request', `${subject} ${expectationOf(failure)}${receivedOf(failure)}.`, {
    ...(base === '' ? {} : { param: base }),
  });
}

export function unknownField(name: string, kind = 'field'): ApiError {
  const shown = printableFieldName(name);
  return new ApiError('invalid_request', `Unknown ${kind} ${shown}.`, { param: shown });
}

/** Reports the first failure, or that of a whole union unless its only other branch is null. */
function mostSpecificFailure(failures: readonly Failure[]): Failure {
  const union = failures.find(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  if (union === undefined) return failures[0]!;
  const branches = (union.parentSchema?.[union.keyword] ?? []) as { type?: unknown }[];
  const others = branches.filter(({ type }) => type !== 'null');
  if (others.length !== 1 || branches.length !== 2) return union;
  const place = `${union.schemaPath}/${branches.indexOf(others[0]!)}/`;
  const inner = failures.find(({ schemaPath }) => schemaPath.startsWith(place));
  return inner === undefined || (inner.keyword === 'type' && inner.schemaPath === `${place}type`)
    ? union
    : inner;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
};
/** Texts that break a pattern or a format are not repeated: they may be secrets. */
const REPEATED = new Set([
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
]);

function receivedOf({ keyword, data }: Failure): string {
  if (data === undefined) return '';
  if (REPEATED.has(keyword)) return `, received ${printableValue(data)}`;
  if (keyword === 'type' && typeof data === 'number') return `, received ${printableValue(data)}`;
  if (keyword === 'type') {
    const kind =
      data === null ? 'null' : Array.isArray(data) ? 'a list' : (KINDS[typeof data] ?? 'an object');
    return `, received ${kind}`;
  }
  if (typeof data === 'string' && /^m(?:in|ax)Length$/.test(keyword))
    return `, received ${charactersOf(data)}`;
  if (Array.isArray(data) && /^m(?:in|ax)Items$/.test(keyword)) return `, received ${data.length}`;
  return '';
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
      return WORDS[failure.keyword]?.(params) ?? failure.message ?? 'is not valid';
  }
}

const counted = (limit: unknown, one: string, many: string): string => `${limit} ${limit === 1 ? one : many}`;
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};
const typeWords = (type: unknown): string =>
  [type]
    .flat()
    .flatMap((one) => String(one).split(','))
    .map((one) => TYPES[one] ?? one)
    .join(' or ');
const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  uri: 'an absolute URL',
  'date-time': 'a date and time of ISO 8601',
  date: 'a date: 2026-11-22',
};

const WORDS: Readonly<Record<string, (params: Record<string, unknown>) => string>> = {
  type: ({ type }) => `must be ${typeWords(type)}`,
  minLength: ({ limit }) => `must have at least ${counted(limit, 'character', 'characters')}`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, 'character', 'characters')}`,
  minItems: ({ limit }) => `must have at least ${counted(limit, 'entry', 'entries')}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'entry', 'entries')}`,
  uniqueItems: () => 'must not have duplicate entries',
  minProperties: ({ limit }) => `must have at least ${counted(limit, 'field', 'fields')}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, 'field', 'fields')}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  format: ({ format }) => `must be ${FORMATS[String(format)] ?? `a ${format}`}`,
  pattern: () => 'does not have the expected format',
};

function unionExpectation(failure: Failure): string {
  const branches = (failure.parentSchema?.[failure.keyword] ?? []) as { const?: unknown; type?: unknown }[];
  const said = branches.map((branch) => branch.const ?? branch.type).filter((one) => one !== undefined);
  return said.length === branches.length && said.length > 0
    ? `must be one of ${said.join(', ')}`
    : 'matches none of the allowed forms';
}
