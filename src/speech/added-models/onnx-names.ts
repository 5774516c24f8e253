import { closeSync, openSync, readSync, statSync } from 'node:fs';

const GRAPH = 7;
const INPUT = 11;
const OUTPUT = 12;
const NAME = 1;
const BYTES = 2;
const LONGEST_VALUE = 64 * 1024;

export const onnxInputs = (path: string): readonly string[] => namesOf(path, INPUT);
export const onnxOutputs = (path: string): readonly string[] => namesOf(path, OUTPUT);

/** Reads the names of a graph's inputs or outputs and skips its weights. A damaged file has none. */
function namesOf(path: string, wanted: number): readonly string[] {
  const file = openSync(path, 'r');
  try {
    const size = statSync(path).size;
    const names: string[] = [];
    for (const graph of fieldsIn(file, 0, size)) {
      if (graph.field !== GRAPH) continue;
      for (const value of fieldsIn(file, graph.at, graph.end)) {
        if (value.field !== wanted || value.end - value.at > LONGEST_VALUE) continue;
        for (const { field, at, end } of fieldsIn(file, value.at, value.end))
          if (field === NAME) names.push(read(file, at, end - at).toString('utf8'));
      }
    }
    return names;
  } finally {
    closeSync(file);
  }
}

interface Field {
  readonly field: number;
  readonly at: number;
  readonly end: number;
}

/** The fields of a protocol buffer that hold bytes. */
function* fieldsIn(file: number, from: number, to: number): Generator<Field> {
  let at = from;
  while (at < to) {
    const head = read(file, at, Math.min(20, to - at));
    const [key, keyBytes] = varint(head, 0);
    const [value, valueBytes] = varint(head, keyBytes);
    const type = key & 7;
    const begin = at + keyBytes;
    if (type === 0) at = begin + valueBytes;
    else if (type === 1) at = begin + 8;
    else if (type === 5) at = begin + 4;
    else if (type === BYTES && begin + valueBytes + value <= to) {
      yield { field: key >> 3, at: begin + valueBytes, end: begin + valueBytes + value };
      at = begin + valueBytes + value;
    } else return;
  }
}

function varint(bytes: Buffer, from: number): [value: number, length: number] {
  let value = 0;
  for (let at = from; at < bytes.length && at < from + 10; at += 1) {
    const byte = bytes[at] as number;
    value += (byte & 0x7f) * 2 ** (7 * (at - from));
    if (byte < 0x80) return [value, at - from + 1];
  }
  return [value, Math.max(1, bytes.length - from)];
}

function read(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, at));
}
