import { fillPlaceholders } from '../../foundation/platform/placeholders.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Reads a path such as `outcome` or `crm_fields.city.value`; returns undefined where there is nothing. */
export const valueAt = (data: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((so, name) => (isObject(so) && Object.hasOwn(so, name) ? so[name] : undefined), data);

export function canHold(schema: unknown, path: string): boolean {
  return path.split('.').reduce((so, name) => so.flatMap((one) => within(one, name)), [schema]).length > 0;
}

/** Returns the schemas of a field, one for each branch that has it. */
function within(schema: unknown, name: string): unknown[] {
  if (!isObject(schema)) return [];
  const branches = schema.anyOf;
  if (Array.isArray(branches)) return branches.flatMap((one) => within(one, name));
  const { properties, patternProperties, additionalProperties, items } = schema;
  if (items !== undefined && /^\d+$/.test(name)) return [items];
  if (isObject(properties) && Object.hasOwn(properties, name)) return [properties[name]];
  if (isObject(patternProperties)) return Object.values(patternProperties);
  return isObject(additionalProperties) ? [additionalProperties] : [];
}

/**
 * Replaces `{{data.outcome}}` with the value; a missing value becomes the empty text. The result has at most `most`
 * characters.
 */
export function fill(
  template: string,
  event: unknown,
  encode: (text: string) => string,
  most: number,
): string {
  const encoded = new Map<string, string>();
  return fillPlaceholders(template, /\{\{\s*([A-Za-z0-9_.]+)\s*\}\}/g, most, (path) => {
    const text = encoded.get(path) ?? encode(textOf(valueAt(event, path)));
    encoded.set(path, text);
    return text;
  });
}

export const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
