import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { ConfigError } from '../foundation/platform/config/index.ts';
import { isHeaderName, isHeaderValue } from './brain-settings.ts';

interface ProviderEntry {
  readonly name: string;
  readonly url: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fallback?: string;
}

/**
 * Reads a setting that lists providers as JSON. Throws ConfigError, which never shows the setting's text, because it
 * contains keys.
 */
export function providerEntries<Entry extends ProviderEntry>(
  setting: string,
  text: string | null,
  schema: TSchema,
  ownProblems: (entry: Entry, list: readonly (Partial<Entry> | null)[]) => readonly string[] = () => [],
): Entry[] {
  if (text === null) return [];
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new ConfigError([`${setting}: it is not JSON`]);
  }
  if (!Array.isArray(list)) throw new ConfigError([`${setting}: it is not a list`]);
  const problems = list.flatMap((entry, at) => {
    const [error] = Value.Errors(schema, entry);
    if (error !== undefined) return [`entry ${at + 1}${error.instancePath} ${error.message}`];
    return [...sharedProblems(entry, at, list), ...ownProblems(entry, list)];
  });
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `${setting}: ${problem}`));
  return list;
}

function sharedProblems(
  { name, url, key = '', headers = {}, fallback }: ProviderEntry,
  at: number,
  list: readonly { name?: unknown }[],
): string[] {
  const problems: string[] = [];
  if (!URL.canParse(url)) problems.push(`the url of ${name} is not a URL`);
  if (list.findIndex((other) => other?.name === name) !== at) problems.push(`${name} is listed twice`);
  if (!Object.keys(headers).every(isHeaderName))
    problems.push(`a header of ${name} does not have a valid header name`);
  if (![key, ...Object.values(headers)].every(isHeaderValue))
    problems.push(`${name}: a header value has a character that is not allowed`);
  if (fallback !== undefined && (fallback === name || !list.some((other) => other?.name === fallback)))
    problems.push(`the fallback of ${name} must be another entry of the list`);
  return problems;
}
