// @requirement Local models: `trunkline brain add`, `list` and `remove` manage GGUF models.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readGguf } from '../../../../src/conversation/brains/local/gguf.ts';
import { gguf, HEAD } from './gguf-bytes.ts';

const folder = mkdtempSync(join(tmpdir(), 'gguf-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(bytes: Buffer): string {
  const path = join(folder, 'model.gguf');
  writeFileSync(path, bytes);
  return path;
}

it('reads what the head of a file says', async () => {
  expect(await readGguf(fileOf(gguf()))).toEqual({
    name: 'Tiny',
    architecture: 'llama',
    quantization: 'Q4_0',
    parameters: 64,
    trainedTokens: 2048,
    bytes: gguf().length,
  });
});

it.each([
  ['is not one', Buffer.from('hello'), /is not a GGUF file/],
  ['is empty', Buffer.alloc(0), /is not a GGUF file/],
  ['is of another version', gguf({ version: 1 }), /has GGUF version 1; supported versions are 2 and 3/],
  ['ends in its head', gguf().subarray(0, 60), /ends within its header/],
  ['lacks its weights', gguf({ data: 0 }), /ends within its weights/],
  ['holds no weights', gguf({ tensors: 0 }), /ends within its weights/],
  ['is one part of several', gguf({ values: { ...HEAD, 'split.count': 3 } }), /is one part of 3: join them/],
  [
    'is the eyes of a model',
    gguf({ values: { ...HEAD, 'tokenizer.ggml.model': undefined } }),
    /has no vocabulary/,
  ],
  [
    'has no model architecture',
    gguf({ values: { ...HEAD, 'general.architecture': undefined } }),
    /has no model architecture/,
  ],
])('says what is wrong with a file that %s', async (_what, bytes, message) => {
  await expect(readGguf(fileOf(bytes))).rejects.toThrow(message);
});

it('survives a head that lies about its lengths', async () => {
  const whole = gguf();
  for (let at = 8; at < whole.length - 64; at += 3) {
    const bytes = Buffer.from(whole);
    bytes.fill(0xff, at, at + 4);
    await readGguf(fileOf(bytes)).catch((error: Error) => expect(error.constructor.name).toBe('GgufError'));
  }
});

it('tells of a file that is not there, and of a folder', async () => {
  await expect(readGguf('/nonexistent.gguf')).rejects.toThrow('there is no file /nonexistent.gguf');
  await expect(readGguf(folder)).rejects.toThrow(/is not a file/);
});
