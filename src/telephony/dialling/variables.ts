import { fillPlaceholders } from '../../foundation/platform/placeholders.ts';

/** An agent reads longer texts nowhere: these are the limits of Omni's `configure`. */
export const MOST_FILLED = { persona: 16_000, greeting: 1000, consent_line: 1000 };

/** Carriers and clients of other services have no limits of their own; a list of a campaign has the most columns. */
const MOST_VARIABLES = 100;
const MOST_NAME_CHARACTERS = 64;
const MOST_CHARACTERS = 4_000;

/**
 * Takes the first 100 variables and 4,000 characters of each. What is neither text, a number nor a boolean is left
 * out, as is a name that no placeholder can have.
 */
export function variablesOf(given: Readonly<Record<string, unknown>>): Record<string, string> {
  const taken: [string, string][] = [];
  for (const [name, value] of Object.entries(given)) {
    if (taken.length === MOST_VARIABLES) break;
    if (name.length > MOST_NAME_CHARACTERS || typeof value === 'object' || value === undefined) continue;
    taken.push([name, String(value).slice(0, MOST_CHARACTERS)]);
  }
  return Object.fromEntries(taken);
}

const PLACE = /\{\{\s*([A-Za-z0-9_.-]{1,64})\s*\}\}/g;

/** Replaces `{{name}}` by that variable. An unknown name stays as it is. */
export const filled = (text: string, variables: Readonly<Record<string, string>>, most: number): string =>
  fillPlaceholders(text, PLACE, most, (name, whole) =>
    Object.hasOwn(variables, name) ? (variables[name] as string) : whole,
  );
