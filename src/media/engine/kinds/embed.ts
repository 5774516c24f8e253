import type { CapacityShare } from '../capacity-share.ts';
import type { JobKind } from '../contract.ts';
import type { Engine } from '../engine.ts';

export interface EmbedOptions {
  readonly live: boolean;
}

/** Embeds sentences as vectors; native/lanes/embed/embed.h has the contract. */
export const embedJob: JobKind<EmbedOptions> = { name: 'embed', flatten: ({ live }) => ({ live }) };
/** Supports many languages. Its vectors cannot be compared with those of `embedJob`. */
export const multilingualEmbedJob: JobKind<EmbedOptions> = { ...embedJob, name: 'embed_multilingual' };

const SIZE = 384;
/** The job accepts more at once, but a live one should not hold a thread for long. */
const MAX_TEXTS = 64;
const MAX_TEXT_BYTES = 900;

type EmbedTextsOptions = EmbedOptions & { readonly signal?: AbortSignal; readonly share?: CapacityShare };

export const embedTexts = (
  engine: Engine,
  texts: readonly string[],
  options: EmbedTextsOptions,
): Promise<Float32Array[]> => embed(engine, embedJob, texts, options);

/** Supports many languages. The model distinguishes a query from the passages that may answer it. */
export const embedMultilingual = (
  engine: Engine,
  role: 'query' | 'passage',
  texts: readonly string[],
  options: EmbedTextsOptions,
): Promise<Float32Array[]> =>
  embed(
    engine,
    multilingualEmbedJob,
    texts.map((text) => `${role}: ${text}`),
    options,
  );

async function embed(
  engine: Engine,
  job: JobKind<EmbedOptions>,
  texts: readonly string[],
  { live, signal, share }: EmbedTextsOptions,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += MAX_TEXTS) {
    const input = packTexts(texts.slice(at, at + MAX_TEXTS));
    const result = await engine.submit(job, { live }, input, signal, share).result();
    const floats = new Float32Array(result.slice().buffer);
    for (let from = 0; from < floats.length; from += SIZE) vectors.push(floats.slice(from, from + SIZE));
  }
  return vectors;
}

function packTexts(texts: readonly string[]): Uint8Array {
  const parts = texts.flatMap((text) => {
    const bytes = Buffer.from(text, 'utf8').subarray(0, MAX_TEXT_BYTES);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat(parts);
}
