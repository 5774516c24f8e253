export interface StoredToolCall {
  readonly turn_id: number;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly at_ms: number;
  readonly took_ms: number | null;
  readonly result?: unknown;
  readonly error?: string;
}

/** A number may be spread over several words, so they are redacted together. */
export type RedactionUnit = readonly unknown[];
export type Redact = (talks: readonly RedactionUnit[]) => Promise<readonly RedactionUnit[]>;

interface Leaf {
  readonly name: string;
  readonly text: string;
}

/**
 * Redacts each value by itself, after the name of its field, so that neighbouring values cannot hide it; and all
 * values of a tool call together, because they may be parts of a whole.
 */
export async function redactToolCalls(
  tools: readonly StoredToolCall[],
  keep: Redact,
): Promise<StoredToolCall[]> {
  const spoken = tools.map(spokenOf);
  const leaves = spoken.map(leavesOf);
  const wholes = leaves.map((values) => values.map(({ text }) => ({ text })));
  const apart = leaves.flat().map((leaf) => [{ text: prefixOf(leaf) + leaf.text }]);
  const clean = await keep([...wholes, ...apart]);
  const texts = clean.flat().map((entry) => (entry as { text: string }).text);
  const count = apart.length;
  let at = 0;
  const next = (leaf: Leaf, value: unknown) => {
    const [whole = '', alone = ''] = [texts[at], texts[count + at++]];
    const rest = alone === prefixOf(leaf) + leaf.text ? whole : withoutPrefix(alone, leaf);
    return rest === leaf.text ? value : rest;
  };
  return tools.map((tool, index) => ({ ...tool, ...(withLeaves(spoken[index], '', next) as object) }));
}

/** The redaction reads the field's name as spoken words: `card_number` becomes `card number: `. */
const prefixOf = ({ name }: Leaf): string =>
  name === '' ? '' : `${name.replace(/[_-]+|(?<=[a-z])(?=[A-Z])/g, ' ')}: `;

function withoutPrefix(text: string, leaf: Leaf): string {
  const prefix = prefixOf(leaf);
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

const spokenOf = ({ arguments: args, result, error }: StoredToolCall) => ({
  arguments: args,
  ...(result === undefined ? {} : { result }),
  ...(error === undefined ? {} : { error }),
});

function leavesOf(value: unknown): Leaf[] {
  const leaves: Leaf[] = [];
  withLeaves(value, '', (leaf, own) => {
    leaves.push(leaf);
    return own;
  });
  return leaves;
}

/** The names of fields belong to the tool's schema and are not redacted. */
function withLeaves(value: unknown, name: string, to: (leaf: Leaf, value: unknown) => unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number') return to({ name, text: String(value) }, value);
  if (Array.isArray(value)) return value.map((item) => withLeaves(item, name, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => [field, withLeaves(item, field, to)]),
  );
}
