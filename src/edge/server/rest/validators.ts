import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { OWN_SCHEMAS } from '../../../foundation/platform/own-schemas.ts';

const OPTIONS = {
  ...OWN_SCHEMAS,
  removeAdditional: false,
  useDefaults: true,
  allErrors: false,
  verbose: true,
  strict: false,
} as const;

/**
 * Coerces the text of queries, paths and headers to numbers and booleans; a body must have the right types. The first
 * request compiles the schemas of its route: all of them together take a second of the processor.
 */
export function registerValidators(app: FastifyInstance): void {
  const exact = withFormats(new Ajv2020({ ...OPTIONS, coerceTypes: false }));
  const fromText = withFormats(new Ajv2020({ ...OPTIONS, coerceTypes: 'array' }));
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? exact : fromText;
    let compiled: ValidateFunction | undefined;
    const validate = (value: unknown): boolean => {
      compiled ??= ajv.compile(schema as object);
      const isValid = compiled(value);
      validate.errors = compiled.errors;
      return isValid;
    };
    validate.errors = undefined as ValidateFunction['errors'];
    return validate;
  });
  const compileSerializer = SerializerSelector()({}, {});
  app.setSerializerCompiler((route) => {
    let serialize: ((value: unknown) => string) | undefined;
    return (value) => {
      serialize ??= compileSerializer(route as Parameters<typeof compileSerializer>[0]);
      return serialize(value);
    };
  });
}

function withFormats(ajv: Ajv2020): Ajv2020 {
  formats.default(ajv);
  return ajv;
}
