export type TextSimilarity = (one: string, other: string) => Promise<number>;

export const EMBEDDING_MODEL = 'minilm-l6';

const NONE = new Float32Array(0);

export const embeddingSimilarity =
  (embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>): TextSimilarity =>
  async (one, other) => {
    const [a = NONE, b = NONE] = await embed([one, other]);
    return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  };
