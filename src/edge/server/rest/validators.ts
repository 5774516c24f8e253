import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';

const OPTIONS = {
  removeAdditional: false,
  useDefaults: true,
  allErrors: false,
  verbose: true,
  strict: false,
} as const;

/** Coerces the text of queries, paths and headers to numbers and booleans; a body must have the right types. */
export function registerValidators(app: FastifyInstance): void {
  const exact = withFormats(new Ajv2020({ ...OPTIONS, coerceTypes: false }));
  const fromText = withFormats(new Ajv2020({ ...OPTIONS, coerceTypes: 'array' }));
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? exact : fromText;
    return ajv.compile(schema as object);
  });
}

function withFormats(ajv: Ajv2020): Ajv2020 {
  formats.default(ajv);
  return ajv;
}
