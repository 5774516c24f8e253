import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { compilePattern } from '../../foundation/platform/patterns.ts';

/** Clients supply these schemas, so compiling and checking them must not block the process. */
const LIMITS = {
  depth: 24,
  /** The limit counts objects, arrays and values, and each `$ref` as the part that it refers to. */
  parts: 1_000,
  patterns: 50,
  steps: 5_000,
};

const OPTIONS = { strict: false, validateFormats: false, allErrors: false, addUsedSchema: false } as const;

let schemas: Ajv | null = null;
function checkSchema(schema: Record<string, unknown>): void {
  schemas ??= new Ajv(OPTIONS);
  if (schemas.validateSchema(schema) !== true)
    throw new Error(`schema is invalid: ${schemas.errorsText(schemas.errors, { dataVar: 'parameters' })}`);
}

/** The budget covers the schemas of one session's tools together. */
export class SchemaBudget {
  #parts = 0;
  #patterns = 0;
  #steps = 0;
  readonly compiler = new Ajv({
    ...OPTIONS,
    // Each compiler would compile the metaschema again, which takes ten times as long as all else.
    meta: false,
    validateSchema: false,
    code: {
      // The optimizer takes five times as long as the generation of the code.
      optimize: false,
      // The compiler knows no `$id` and loads nothing, so a reference stays within its schema.
      regExp: Object.assign((source: string) => this.#takePattern(source), { code: 'patternOf' }),
    },
  });

  attempt<T>(compile: () => T): T {
    const before = [this.#parts, this.#patterns, this.#steps] as const;
    try {
      return compile();
    } catch (error) {
      [this.#parts, this.#patterns, this.#steps] = before;
      throw error;
    }
  }

  countPart(): void {
    if (++this.#parts > LIMITS.parts)
      throw new Error(`the schemas of all tools can have at most ${LIMITS.parts} parts in total`);
  }

  /** The compiler distinguishes patterns by their text. */
  #takePattern(source: string) {
    if (++this.#patterns > LIMITS.patterns)
      throw new Error(`the schemas of all tools can have at most ${LIMITS.patterns} patterns in total`);
    const pattern = compilePattern(source);
    this.#steps += pattern.steps;
    if (this.#steps > LIMITS.steps)
      throw new Error(`the pattern ${source} cannot be used: together with the others, it is too complex`);
    return { ...pattern, toString: () => source };
  }
}

export interface ArgumentCheck {
  /** Returns null for valid arguments; otherwise it describes to the model what is wrong. */
  problem(args: Record<string, unknown>): string | null;
}

export function compileArguments(
  parameters: Readonly<Record<string, unknown>>,
  budget: SchemaBudget,
): ArgumentCheck {
  // Generators name the draft of JSON Schema; the subset accepted here is common to all drafts.
  const { $schema: _draft, ...given } = parameters;
  const schema: Record<string, unknown> = { type: 'object', ...given };
  if (schema.type !== 'object') throw new Error('arguments must be an object: type must be "object"');
  measure(schema, budget);
  checkSchema(schema);
  const { compiler } = budget;
  const check = compiler.compile(schema) as ValidateFunction & { errors?: ErrorObject[] | null };
  return {
    problem: (args) =>
      // Only true is valid; a promise, for example, is not.
      (check(args) as unknown) === true
        ? null
        : compiler.errorsText(check.errors, { dataVar: 'arguments' }).slice(0, 500),
  };
}

export const checkArgumentSchema = (schema: Readonly<Record<string, unknown>>): void =>
  void compileArguments(schema, new SchemaBudget());

/**
 * Counts the parts that a check would visit. A reference costs what it refers to, so that a few in a row cannot stand
 * for millions.
 */
function measure(root: Record<string, unknown>, budget: SchemaBudget): void {
  const walk = (part: unknown, depth: number, following: readonly string[]): void => {
    budget.countPart();
    if (depth > LIMITS.depth) throw new Error(`a schema can be at most ${LIMITS.depth} levels deep`);
    if (typeof part !== 'object' || part === null) return;
    for (const [name, child] of Object.entries(part)) {
      if (name === '$ref' || name === '$dynamicRef' || name === '$recursiveRef')
        walk(resolve(root, child, following), depth + 1, [...following, String(child)]);
      else if (!isOwnName(name, child)) walk(child, depth + 1, following);
    }
  };
  walk(root, 0, []);
}

/** Rejects identifiers and anchors, which would let a reference mean something other than a path. */
function isOwnName(name: string, child: unknown): boolean {
  // With the compiler's own keyword `$async`, a check would return a promise.
  if (name === '$async') throw new Error('$async is not supported');
  if ((name === '$id' || name === '$anchor' || name === '$dynamicAnchor') && typeof child === 'string') {
    throw new Error(`${name} is not supported: refer to a part by its path, as in #/$defs/address`);
  }
  return false;
}

function resolve(root: Record<string, unknown>, reference: unknown, following: readonly string[]): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) {
    throw new Error('$ref must refer to a part of the same schema, as in #/$defs/address');
  }
  if (following.includes(reference)) throw new Error(`${reference} refers to itself`);
  let part: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    const owner = typeof part === 'object' && part !== null ? (part as Record<string, unknown>) : {};
    if (!Object.hasOwn(owner, name)) throw new Error(`${reference} is not defined in the schema`);
    part = owner[name];
  }
  return part;
}
