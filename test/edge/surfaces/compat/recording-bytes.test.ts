import { PassThrough, type Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { bytesOf } from '../../../../src/edge/surfaces/compat/deepgram/recording-bytes.ts';

const read = async (body: Readable, bytes = 100): Promise<number> => {
  const request = { body, gone: new AbortController().signal };
  const gate = { fetch: () => Promise.reject(new Error('not asked')) };
  let count = 0;
  const stream = await bytesOf(gate, request as unknown as Parameters<typeof bytesOf>[1], bytes);
  for await (const chunk of stream) count += (chunk as Buffer).length;
  return count;
};

it('reads a recording to its end', async () => {
  const body = new PassThrough();
  body.end(Buffer.alloc(60));
  expect(await read(body)).toBe(60);
});

it('an aborted upload ends its reader', async () => {
  const body = new PassThrough();
  body.write(Buffer.alloc(60));
  setImmediate(() => body.destroy());
  await expect(read(body)).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
});

it('a recording over the limit is refused', async () => {
  const body = new PassThrough();
  body.end(Buffer.alloc(101));
  await expect(read(body)).rejects.toMatchObject({ code: 'payload_too_large' });
});
