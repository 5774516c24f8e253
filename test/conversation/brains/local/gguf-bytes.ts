export type Values = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export const HEAD: Values = {
  'general.architecture': 'llama',
  'general.name': 'Tiny',
  'general.file_type': 2,
  'llama.context_length': 2048,
  'tokenizer.ggml.model': 'gpt2',
  'tokenizer.ggml.tokens': ['a', 'b', 'c'],
};

const [UINT32, STRING, ARRAY] = [4, 8, 9];
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

function written(value: string | number | readonly string[]): Buffer {
  if (typeof value === 'number') return Buffer.concat([u32(UINT32), u32(value)]);
  if (typeof value === 'string') return Buffer.concat([u32(STRING), text(value)]);
  return Buffer.concat([u32(ARRAY), u32(STRING), u64(value.length), ...value.map(text)]);
}

const ALIGNMENT = 32;

export function gguf({ version = 3, values = HEAD, tensors = 1, data = 64 } = {}): Buffer {
  const entries = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [Buffer.concat([text(key), written(value)])],
  );
  const tensor = Buffer.concat([text('weights'), u32(2), u64(8), u64(8), u32(0), u64(0)]);
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(version),
    u64(tensors),
    u64(entries.length),
    ...entries,
    ...Array.from({ length: tensors }, () => tensor),
  ]);
  const padding = (ALIGNMENT - (head.length % ALIGNMENT)) % ALIGNMENT;
  return Buffer.concat([head, Buffer.alloc(padding + data)]);
}
