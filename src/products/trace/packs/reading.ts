import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { OWN_SCHEMAS } from '../../../foundation/platform/own-schemas.ts';
import { compilePattern } from '../../../foundation/platform/patterns.ts';
import { type Matcher, type Rule, RulePack } from './schema.ts';

/** A PackError names what is invalid in a pack, and where. */
export class PackError extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(path === '' || message.startsWith(`${path}: `) ? message : `${path}: ${message}`);
    this.name = 'PackError';
    this.path = path;
  }
}

const MAX_CHARACTERS = 500_000;
/** The limit of all regular expressions of a pack together, as `Pattern.steps` counts them. */
const MAX_STEPS = 20_000;
const MAX_PHRASES = 3_000;

const check = new Ajv2020({ ...OWN_SCHEMAS, strict: false, discriminator: false, allErrors: false }).compile(
  RulePack,
);

/** Parses YAML or JSON. Throws PackError. */
export function readPack(text: string): RulePack {
  if (text.length > MAX_CHARACTERS)
    throw new PackError('', `a pack can have at most ${MAX_CHARACTERS} characters`);
  let document: unknown;
  try {
    document = parse(text, { maxAliasCount: 50, schema: 'core' });
  } catch (error) {
    throw new PackError('', `the text is neither YAML nor JSON: ${(error as Error).message.split('\n')[0]}`);
  }
  return checkPack(document);
}

/** Validates a parsed pack. Throws PackError. */
export function checkPack(document: unknown): RulePack {
  if (!check(document)) throw schemaError(document);
  const pack = document as RulePack;
  checkNames(pack);
  checkPatterns(pack);
  checkPhrases(pack);
  return pack;
}

/** The tag does not depend on the layout of the text. */
export const tagOf = (pack: RulePack): string =>
  createHash('sha256').update(canonical(pack)).digest('hex').slice(0, 32);

/** Serializes JSON with sorted keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

/** Only the errors of the union's branch with the rule's kind help. */
function schemaError(document: unknown): PackError {
  const errors = check.errors ?? [];
  const kindAt = (path: string): unknown =>
    (at(document, path.split('/').slice(1, 3)) as { kind?: unknown } | undefined)?.kind;
  const branches = RulePack.properties.rules.items.anyOf as readonly {
    properties: { kind: { const: string } };
  }[];
  const own = errors.find(({ schemaPath, instancePath }) => {
    const branch = /\/anyOf\/(\d+)\//.exec(schemaPath)?.[1];
    if (branch === undefined) return false;
    return branches[Number(branch)]?.properties.kind.const === kindAt(instancePath);
  });
  const reported = own ?? errors.at(-1);
  const path = (reported?.instancePath ?? '').slice(1).replaceAll('/', '.');
  const extra = (reported?.params as { additionalProperty?: string } | undefined)?.additionalProperty;
  return new PackError(
    path,
    `${reported?.message ?? 'is not a rule pack'}${extra === undefined ? '' : `: ${extra}`}`,
  );
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((so, key) => (so as Record<string, unknown> | undefined)?.[key], value);

function checkNames({ rules }: RulePack): void {
  const met = new Set<string>();
  for (const [index, { id }] of rules.entries()) {
    if (met.has(id)) throw new PackError(`rules.${index}.id`, `${id} is already the name of another rule`);
    met.add(id);
  }
}

function checkPatterns({ rules }: RulePack): void {
  let steps = 0;
  for (const [index, rule] of rules.entries()) {
    for (const { path, source } of patternsOf(rule)) {
      try {
        steps += compilePattern(source).steps;
      } catch (error) {
        throw new PackError(`rules.${index}.${path}`, (error as Error).message);
      }
      if (steps > MAX_STEPS)
        throw new PackError(`rules.${index}.${path}`, 'together with the others, the pattern is too complex');
    }
  }
}

function patternsOf(rule: Rule): { path: string; source: string }[] {
  if (rule.kind === 'regex') return [{ path: 'pattern', source: rule.pattern }];
  if (rule.kind !== 'sequence') return [];
  return (['first', 'later'] as const).flatMap((name) => {
    const { regex } = rule[name];
    return regex === undefined ? [] : [{ path: `${name}.regex`, source: regex }];
  });
}

function checkPhrases({ rules }: RulePack): void {
  let count = 0;
  for (const [index, rule] of rules.entries()) {
    for (const phrases of phrasesOf(rule)) count += Object.values(phrases).flat().length;
    if (rule.kind === 'sequence')
      for (const name of ['first', 'later'] as const) checkMatcher(rule[name], `rules.${index}.${name}`);
    if (count > MAX_PHRASES)
      throw new PackError(`rules.${index}`, `a pack can have at most ${MAX_PHRASES} phrases`);
  }
}

function checkMatcher({ phrases, regex, entities, topic }: Matcher, path: string): void {
  if (phrases === undefined && regex === undefined && entities === undefined && topic === undefined)
    throw new PackError(path, 'must have at least one of phrases, regex, entities and topic');
}

export function phrasesOf(rule: Rule): Partial<Record<string, readonly string[]>>[] {
  if (rule.kind === 'sequence')
    return [rule.first.phrases, rule.later.phrases].filter((one) => one !== undefined);
  return 'phrases' in rule ? [rule.phrases] : [];
}

export function topicsOf(rule: Rule): readonly string[] {
  if (rule.kind === 'topic') return rule.topic.examples;
  if (rule.kind !== 'sequence') return [];
  return [rule.first.topic, rule.later.topic].flatMap((topic) => topic?.examples ?? []);
}
