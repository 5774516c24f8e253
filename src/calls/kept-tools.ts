/** Tools that were called, as the record of a call holds them. */
export interface KeptToolCall {
  readonly turn_id: number;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** On the clock of the transcript. */
  readonly at_ms: number;
  /** Null: it had not answered when the call ended. */
  readonly took_ms: number | null;
  readonly result?: unknown;
  readonly error?: string;
}

type Keep = (texts: readonly unknown[]) => Promise<readonly unknown[]>;

/** The same without what may not be kept: each value that a tool was given or gave back is read as words that were said. */
export async function keptTools(tools: readonly KeptToolCall[], keep: Keep): Promise<KeptToolCall[]> {
  const texts: string[] = [];
  const spoken = tools.map(spokenOf);
  for (const values of spoken) eachLeaf(values, (text) => texts.push(text));
  const clean = await keep(texts.map((text) => ({ text })));
  let at = 0;
  const next = (text: string, value: unknown) => {
    const kept = (clean[at++] as { text: string }).text;
    return kept === text ? value : kept;
  };
  return tools.map((tool, index) => ({ ...tool, ...(withLeaves(spoken[index], next) as object) }));
}

const spokenOf = ({ arguments: args, result, error }: KeptToolCall) => ({
  arguments: args,
  ...(result === undefined ? {} : { result }),
  ...(error === undefined ? {} : { error }),
});

function eachLeaf(value: unknown, told: (text: string) => void): void {
  withLeaves(value, (text, leaf) => {
    told(text);
    return leaf;
  });
}

/** The names of fields stay: they are the tool's. */
function withLeaves(value: unknown, to: (text: string, value: unknown) => unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number') return to(String(value), value);
  if (Array.isArray(value)) return value.map((item) => withLeaves(item, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withLeaves(item, to)]));
}
