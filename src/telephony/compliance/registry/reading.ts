import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { OWN_SCHEMAS } from '../../../foundation/platform/own-schemas.ts';
import { PROJECT_ROOT } from '../../../foundation/platform/project-root.ts';
import { CountryRules, type Market, OF_THE_CASE, Shared } from './schema.ts';

export interface Rules {
  readonly shared: Shared;
  readonly countries: readonly CountryRules[];
}

export class RegistryError extends Error {
  constructor(place: string, message: string) {
    super(`${place}: ${message}`);
    this.name = 'RegistryError';
  }
}

const FOLDER = join(PROJECT_ROOT, 'src/telephony/compliance/registry/countries');
const SHARED = 'registry.yaml';
const ajv = new Ajv2020({ ...OWN_SCHEMAS, strict: false });
const checkShared = ajv.compile(Shared as object);
const checkCountry = ajv.compile(CountryRules as object);

/** Throws RegistryError: a server with invalid rules does not start. */
export function readRules(folder: string = FOLDER): Rules {
  const read = (name: string): unknown => parse(readFileSync(join(folder, name), 'utf8'), { schema: 'core' });
  const shared = checked<Shared>(checkShared, read(SHARED), SHARED);
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== SHARED);
  const countries = names.sort().map((name) => checked<CountryRules>(checkCountry, read(name), name));
  for (const country of countries) checkNames(shared, country);
  return { shared, countries };
}

function checked<T>(check: ReturnType<typeof ajv.compile>, document: unknown, place: string): T {
  if (!check(document)) throw new RegistryError(place, ajv.errorsText(check.errors));
  return document as T;
}

function checkNames(shared: Shared, { country, sources, markets }: CountryRules): void {
  const seen = new Set<string>();
  for (const market of markets) {
    for (const type of market.number_types) {
      const place = `${country} ${market.kind} ${type}`;
      if (seen.has(place)) throw new RegistryError(place, 'is listed twice');
      seen.add(place);
      for (const name of unknownIn(shared, sources, market))
        throw new RegistryError(place, `unknown ${name}`);
    }
  }
}

function unknownIn(shared: Shared, sources: object, market: Market): string[] {
  const fields = market.documents.flatMap(({ fields }) => Object.keys(fields));
  const paths = new Set(
    market.documents.flatMap(({ type, fields }) => Object.keys(fields).map((field) => `${type}.${field}`)),
  );
  return [
    ...market.sources.filter((id) => !Object.hasOwn(sources, id)),
    ...market.documents.map(({ type }) => type).filter((type) => !Object.hasOwn(shared.documents, type)),
    ...fields.filter((field) => !Object.hasOwn(shared.fields, field)),
    ...market.attestations.filter((id) => !Object.hasOwn(shared.attestations, id)),
    ...market.documents.flatMap((document) => unknownConditions(market, document)),
    ...lonely(market),
    ...(market.matches ?? []).flatMap(({ left, right }) => [left, right]).filter((path) => !paths.has(path)),
  ];
}

/** A condition may only use existing fields, and cites a source of its market. */
const unknownConditions = (market: Market, { fields }: Market['documents'][number]): string[] =>
  Object.values(fields).flatMap((need) => {
    if (typeof need === 'string' || need.required_when === undefined) return [];
    const { field, source } = need.required_when;
    const isKnown = field === OF_THE_CASE || Object.hasOwn(fields, field);
    return [...(isKnown ? [] : [field]), ...(market.sources.includes(source) ? [] : [source])];
  });

/** A group of one document is an error, as it has no alternative. */
const lonely = ({ documents }: Market): string[] => {
  const groups = documents.flatMap(({ one_of }) => one_of ?? []);
  return groups.filter((group) => groups.indexOf(group) === groups.lastIndexOf(group));
};
