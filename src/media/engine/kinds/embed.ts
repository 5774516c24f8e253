import type { CapacityShare } from '../capacity-share.ts';
import type { JobKind } from '../contract.ts';
import type { Engine } from '../engine.ts';

export interface EmbedOptions {
  readonly live: boolean;
}

interface AddedEmbedOptions extends EmbedOptions {
  readonly model: string;
}

interface OpenEmbedderOptions {
  /** The folder of the model to open. */
  readonly model?: string;
  /** Closes the added models of all other folders. */
  readonly keep?: readonly string[];
}

/** Embeds sentences as vectors; native/lanes/embed/embed.h has the contract. */
export const embedJob: JobKind<EmbedOptions> = { name: 'embed', flatten: ({ live }) => ({ live }) };
/** Supports many languages. Its vectors cannot be compared with those of `embedJob`. */
export const multilingualEmbedJob: JobKind<EmbedOptions> = { ...embedJob, name: 'embed_multilingual' };

/** Embeds by an added model, which `openEmbedderJob` has opened. */
const addedEmbedJob: JobKind<AddedEmbedOptions> = {
  name: 'embed_added',
  flatten: ({ live, model }) => ({ live, model }),
};

export const openEmbedderJob: JobKind<OpenEmbedderOptions> = {
  name: 'open_embedder',
  flatten: ({ model, keep }) => ({ model, keep }),
};

const SIZE = 384;
/** The job accepts more at once, but a live one should not hold a thread for long. */
const MAX_TEXTS = 64;
const MAX_TEXT_BYTES = 900;

type EmbedTextsOptions = EmbedOptions & { readonly signal?: AbortSignal; readonly share?: CapacityShare };

export const embedTexts = (
  engine: Engine,
  texts: readonly string[],
  options: EmbedTextsOptions,
): Promise<Float32Array[]> => embed(engine, embedJob, options, texts, options);

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
    options,
    texts.map((text) => `${role}: ${text}`),
    options,
  );

/** `model` is the folder of an open added model, whose vectors have `size` numbers. */
export const embedByAdded = (
  engine: Engine,
  { model, size }: { readonly model: string; readonly size: number },
  texts: readonly string[],
  options: EmbedTextsOptions,
): Promise<Float32Array[]> =>
  embed(engine, addedEmbedJob, { live: options.live, model }, texts, options, size);

async function embed<Options>(
  engine: Engine,
  job: JobKind<Options>,
  options: Options,
  texts: readonly string[],
  { signal, share }: EmbedTextsOptions,
  size = SIZE,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += MAX_TEXTS) {
    const input = packTexts(texts.slice(at, at + MAX_TEXTS));
    const result = await engine.submit(job, options, input, signal, share).result();
    const floats = new Float32Array(result.slice().buffer);
    for (let from = 0; from < floats.length; from += size) vectors.push(floats.slice(from, from + size));
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
