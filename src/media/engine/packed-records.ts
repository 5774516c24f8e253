/** native/engine/records.h and native/engine/options.h define these layouts. */
export const DRAIN_HEADER = 16;
export const RECORD_HEADER = 16;

export const JOB_SLOT = 0xfffffffe;
export const ENGINE_SLOT = 0xffffffff;

export const EngineEventType = {
  closed: 1,
  audio: 2,
  jobProgress: 3,
  jobChunk: 4,
  jobEnd: 5,
  kind: 6,
  model: 7,
  firstOfKind: 16,
} as const;

/** `body` is a view into the drained buffer and is valid only during the call. */
export interface RecordVisitor {
  record(slot: number, generation: number, type: number, flags: number, body: Uint8Array): void;
}

export function walkRecords(bytes: Uint8Array, used: number, visitor: RecordVisitor): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, used);
  const more = view.getUint32(4, true) !== 0;
  let at = DRAIN_HEADER;
  while (at < used) {
    const size = view.getUint32(at + 12, true);
    const body = new Uint8Array(bytes.buffer, bytes.byteOffset + at + RECORD_HEADER, size);
    visitor.record(
      view.getUint32(at, true),
      view.getUint32(at + 4, true),
      view.getUint16(at + 8, true),
      view.getUint16(at + 10, true),
      body,
    );
    at += RECORD_HEADER + ((size + 7) & ~7);
  }
  return more;
}

export class BodyReader {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.#bytes.byteLength - this.#at;
  }

  #take(size: number): number {
    const at = this.#at;
    this.#at += size;
    return at;
  }

  u8 = (): number => this.#view.getUint8(this.#take(1));
  u16 = (): number => this.#view.getUint16(this.#take(2), true);
  u32 = (): number => this.#view.getUint32(this.#take(4), true);
  i32 = (): number => this.#view.getInt32(this.#take(4), true);
  u64 = (): number => Number(this.#view.getBigUint64(this.#take(8), true));
  f32 = (): number => this.#view.getFloat32(this.#take(4), true);
  f64 = (): number => this.#view.getFloat64(this.#take(8), true);

  text(size = this.remaining): string {
    const at = this.#take(size);
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + at, size).toString('utf8');
  }

  bytes(size = this.remaining): Uint8Array {
    const at = this.#take(size);
    return this.#bytes.subarray(at, at + size);
  }
}

export type Field<T> = (reader: BodyReader) => T;

type Decoded<K extends string, F> = { readonly kind: K } & {
  readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

/** Decodes one kind of event: its fields in the order in which the engine writes them. */
export const event =
  <const K extends string, F extends Readonly<Record<string, Field<unknown>>>>(kind: K, fields: F) =>
  (reader: BodyReader): Decoded<K, F> => {
    const values: Record<string, unknown> = { kind };
    for (const [name, read] of Object.entries(fields)) values[name] = read(reader);
    return values as Decoded<K, F>;
  };

export const u32: Field<number> = (reader) => reader.u32();
export const f64: Field<number> = (reader) => reader.f64();
export const text: Field<string> = (reader) => reader.text();

/** Both take 8 bytes, so that the double behind them is aligned. */
export const flag: Field<boolean> = (reader) => reader.u64() === 1;
export const character: Field<string> = (reader) => String.fromCharCode(reader.u64());

export type OptionValue = number | boolean | string | Uint8Array | readonly string[] | undefined;
export type FlatOptions = Readonly<Record<string, OptionValue>>;

const NONE = new Uint8Array();

export function packOptions(options: FlatOptions): Uint8Array {
  const parts: Buffer[] = [];
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const name = Buffer.from(key);
    if (name.length === 0 || name.length > 255) {
      throw new RangeError(`expected an option name of 1 to 255 bytes, received '${key}'`);
    }
    const [type, bytes] = packValue(value);
    const head = Buffer.alloc(name.length + 6);
    head[0] = name.length;
    name.copy(head, 1);
    head[name.length + 1] = type;
    head.writeUInt32LE(bytes.length, name.length + 2);
    parts.push(head, bytes);
  }
  return parts.length === 0 ? NONE : Buffer.concat(parts);
}

function packValue(value: Exclude<OptionValue, undefined>): [number, Buffer] {
  if (typeof value === 'number' || typeof value === 'boolean') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(Number(value));
    return [1, bytes];
  }
  if (typeof value === 'string') return [2, Buffer.from(value)];
  if (value instanceof Uint8Array) return [3, Buffer.from(value.buffer, value.byteOffset, value.byteLength)];
  const texts = value.flatMap((text) => {
    const bytes = Buffer.from(text);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(bytes.length);
    return [size, bytes];
  });
  return [4, Buffer.concat(texts)];
}
