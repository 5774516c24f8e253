import { UnreadableDocument } from './blocks.ts';

const END_OF_DIRECTORY = 0x0605_4b50;
const ENTRY = 0x0201_4b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;

const MOST_ENTRIES = 5_000;
const MOST_BYTES = 200 * 1024 * 1024;
/** Text compresses to about a tenth; a factor above this indicates a zip bomb. */
const MOST_FACTOR = 250;
const FACTOR_FROM_BYTES = 5 * 1024 * 1024;

export function checkArchive(bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOf(buffer);
  const entries = buffer.readUInt16LE(end + 10);
  let at = buffer.readUInt32LE(end + 16);
  if (entries > MOST_ENTRIES) throw bomb();
  let unpacked = 0;
  for (let entry = 0; entry < entries; entry += 1) {
    if (at + 46 > buffer.length || buffer.readUInt32LE(at) !== ENTRY) throw damaged();
    if ((buffer.readUInt16LE(at + 8) & 1) === 1) throw new UnreadableDocument('The document is encrypted.');
    unpacked += buffer.readUInt32LE(at + 24);
    if (unpacked > MOST_BYTES) throw bomb();
    at += 46 + buffer.readUInt16LE(at + 28) + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  if (unpacked > FACTOR_FROM_BYTES && unpacked > MOST_FACTOR * buffer.length) throw bomb();
}

function endOf(buffer: Buffer): number {
  const from = Math.max(0, buffer.length - END_BYTES - LONGEST_COMMENT);
  for (let at = buffer.length - END_BYTES; at >= from; at -= 1)
    if (buffer.readUInt32LE(at) === END_OF_DIRECTORY) return at;
  throw damaged();
}

const bomb = (): UnreadableDocument =>
  new UnreadableDocument('The document unpacks to far more than it holds.');
const damaged = (): UnreadableDocument =>
  new UnreadableDocument('The file is no whole Word document (.docx).');
