import { open, stat } from 'node:fs/promises';

export interface GgufMetadata {
  readonly name: string | null;
  readonly architecture: string;
  readonly quantization: string | null;
  readonly parameters: number;
  readonly trainedTokens: number | null;
  readonly bytes: number;
}

export class GgufError extends Error {}

/** The limit exceeds the vocabulary of any known model. */
const LONGEST_HEAD = 64 * 2 ** 20;
const LONGEST_LIST = 4_000_000;
const VERSIONS = [2, 3];
/** The index is the format's type number; a string and an array have no fixed size. */
const SIZES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const TEXT = 8;
const LIST = 9;
const FLOATS = [6, 12];
const ALIGNED = 32;

const FILE_TYPES: Readonly<Record<number, string>> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  32: 'BF16',
};

type Value = string | number | null;

export async function readGguf(path: string): Promise<GgufMetadata> {
  const bytes = await sizeOf(path);
  const head = new Head(await beginning(path, Math.min(bytes, LONGEST_HEAD)));
  try {
    return factsOf(path, head, bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new GgufError(`${path} ends within its header: the copy is incomplete or damaged`);
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new GgufError(
      error.code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read: ${error.code}`,
    );
  });
  if (!found.isFile()) throw new GgufError(`${path} is not a file`);
  return found.size;
}

async function beginning(path: string, length: number): Promise<Buffer> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new GgufError(`${path} cannot be read: ${error.code}`);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function factsOf(path: string, head: Head, bytes: number): GgufMetadata {
  if (!head.isMarked()) throw new GgufError(`${path} is not a GGUF file`);
  const version = head.number(4);
  if (!VERSIONS.includes(version))
    throw new GgufError(
      `${path} has GGUF version ${version}; supported versions are ${VERSIONS.join(' and ')}`,
    );
  const tensors = head.number(8);
  const values = valuesOf(head, head.number(8));
  const { parameters, lastOffset } = tensorsOf(head, tensors);
  const text = (key: string): string | null => {
    const value = values.get(key);
    return typeof value === 'string' ? value : null;
  };
  const architecture = text('general.architecture');
  if (architecture === null)
    throw new GgufError(`${path} has no model architecture: it is not a language model`);
  const parts = Number(values.get('split.count') ?? 1);
  if (parts > 1)
    throw new GgufError(`${path} is one part of ${parts}: join them first (llama-gguf-split --merge)`);
  if (text('tokenizer.ggml.model') === null)
    throw new GgufError(
      `${path} has no vocabulary: it is a component of a model, not a complete language model`,
    );
  const alignment = Number(values.get('general.alignment') ?? ALIGNED);
  const dataAt = Math.ceil(head.at / alignment) * alignment;
  if (tensors === 0 || dataAt + lastOffset >= bytes)
    throw new GgufError(`${path} ends within its weights: the copy is incomplete`);
  const trained = values.get(`${architecture}.context_length`);
  return {
    name: text('general.name'),
    architecture,
    quantization: FILE_TYPES[Number(values.get('general.file_type') ?? -1)] ?? null,
    parameters,
    trainedTokens: typeof trained === 'number' ? trained : null,
    bytes,
  };
}

function valuesOf(head: Head, count: number): Map<string, Value> {
  const values = new Map<string, Value>();
  for (let at = 0; at < count; at++) values.set(head.text(), head.value(head.number(4)));
  return values;
}

function tensorsOf(head: Head, count: number): { parameters: number; lastOffset: number } {
  let [parameters, lastOffset] = [0, 0];
  for (let at = 0; at < count; at++) {
    head.text();
    let size = 1;
    for (let left = head.number(4); left > 0; left--) size *= head.number(8);
    head.number(4);
    parameters += size;
    lastOffset = Math.max(lastOffset, head.number(8));
  }
  return { parameters, lastOffset };
}

class Head {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  isMarked(): boolean {
    this.at = 4;
    return this.#bytes.toString('latin1', 0, 4) === 'GGUF';
  }

  number(size: number): number {
    const at = this.at;
    this.at += size;
    return size === 8 ? Number(this.#bytes.readBigUInt64LE(at)) : this.#bytes.readUIntLE(at, size);
  }

  text(): string {
    const length = this.number(8);
    const from = this.#skip(length);
    return this.#bytes.toString('utf8', from, this.at);
  }

  value(type: number): Value {
    if (type === TEXT) return this.text();
    if (type === LIST) return this.#list();
    const size = SIZES[type];
    if (!size) throw new GgufError(`the header of the file has a value of the unknown type ${type}`);
    if (!FLOATS.includes(type)) return this.number(size);
    this.#skip(size);
    return null;
  }

  #list(): null {
    const [type, count] = [this.number(4), this.number(8)];
    if (count > LONGEST_LIST) throw new RangeError('a list in the header is longer than the file');
    const size = SIZES[type] ?? 0;
    if (size > 0) this.#skip(size * count);
    else for (let at = 0; at < count; at++) this.value(type);
    return null;
  }

  #skip(length: number): number {
    const from = this.at;
    if (from + length > this.#bytes.length) throw new RangeError('the header of the file is truncated');
    this.at += length;
    return from;
  }
}
