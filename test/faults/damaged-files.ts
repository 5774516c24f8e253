/** Returns numbers from a seed, so that a failed run can be repeated. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

type Next = () => number;
const upTo = (next: Next, most: number): number => Math.floor(next() * most);
const somewhere = (next: Next, length: number): number =>
  upTo(next, next() < 0.5 ? Math.min(256, length) : length);

const cut = (file: Buffer, next: Next): Buffer => Buffer.from(file.subarray(0, somewhere(next, file.length)));

function flipped(file: Buffer, next: Next): Buffer {
  const out = Buffer.from(file);
  for (let left = 1 + upTo(next, 40); left > 0; left -= 1)
    out[somewhere(next, out.length)]! ^= 1 << upTo(next, 8);
  return out;
}

function lying(file: Buffer, next: Next): Buffer {
  const out = Buffer.from(file);
  const lies = [0, 1, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 192_000, 2 ** 24];
  const lie = lies[upTo(next, lies.length)]!;
  const at = 2 * upTo(next, 22);
  if (next() < 0.5) out.writeUInt16LE(lie & 0xffff, at);
  else out.writeUInt32LE(lie, at);
  return out;
}

function holed(file: Buffer, next: Next): Buffer {
  const out = Buffer.from(file);
  const at = upTo(next, out.length);
  out.fill(next() < 0.5 ? 0 : 0xff, at, Math.min(out.length, at + upTo(next, 20_000)));
  return out;
}

function spliced(file: Buffer, next: Next): Buffer {
  const [at, length] = [somewhere(next, file.length), upTo(next, 5000)];
  const again = next() < 0.5;
  return Buffer.concat([file.subarray(0, again ? at + length : at), file.subarray(again ? at : at + length)]);
}

const KINDS = { cut, flipped, lying, holed, spliced };

export interface Damaged {
  readonly name: string;
  readonly bytes: Buffer;
}

export function damagedFiles(sound: readonly Buffer[], count: number, seed: number): Damaged[] {
  const next = numbers(seed);
  const kinds = Object.entries(KINDS);
  return Array.from({ length: count }, (_, at) => {
    const file = sound[at % sound.length]!;
    if (at % 11 === 10) {
      const other = sound[(at + 1) % sound.length]!;
      const bytes = Buffer.concat([file.subarray(0, 64), other.subarray(64)]);
      return { name: `${at}: another's beginning`, bytes };
    }
    const [name, damage] = kinds[Math.floor(at / sound.length) % kinds.length]!;
    return { name: `${at}: ${name}`, bytes: damage(file, next) };
  });
}
