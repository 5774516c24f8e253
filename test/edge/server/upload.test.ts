import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sendLongRequest } from './fixtures/long-request.ts';
import { bearer, start } from './fixtures/start.ts';
import { uploadSurface } from './fixtures/upload.ts';

const LIMIT = 1024 * 1024;

async function serve(maxBytes = LIMIT) {
  const folder = mkdtempSync(join(tmpdir(), 'upload-'));
  return { folder, ...(await start({ surfaces: [uploadSurface(folder, maxBytes)] })) };
}

const openFilesIn = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return [];
    }
  });

const formOf = (parts: Record<string, string | Blob>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.append(name, value as never);
  return form;
};

const send = (url: string, body: FormData) =>
  fetch(`${url}/v1/upload`, { method: 'POST', headers: bearer, body });

describe('upload', () => {
  it('reads fields by their types, before and after the file', async () => {
    const { url, folder } = await serve();
    const form = formOf({ count: '3', file: new Blob(['x'.repeat(1000)]), model: 'm' });
    form.append('formats', 'json');
    form.append('formats', 'text');
    const response = await send(url, form);
    expect(await response.json()).toMatchObject({
      size: 1000,
      fields: { count: 3, model: 'm', formats: ['json', 'text'] },
    });
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it.each([
    ['a field that the form does not know', { colour: 'red', file: new Blob(['x']) }, 400, 'colour'],
    ['a file that the form does not know', { picture: new Blob(['x']) }, 400, 'picture'],
    ['a value of the wrong type', { file: new Blob(['x']), count: 'three' }, 400, 'count'],
    ['no file', { model: 'm' }, 400, 'file'],
    ['too large a file', { file: new Blob([new Uint8Array(LIMIT + 1)]) }, 413, 'file'],
  ])('refuses %s and keeps nothing', async (_what, parts, status, param) => {
    const { url, folder } = await serve();
    const response = await send(url, formOf(parts));
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { param } });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('wants a form', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/v1/upload`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(415);
    const noBoundary = await fetch(`${url}/v1/upload`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'multipart/form-data' },
      body: 'x',
    });
    expect(noBoundary.status).toBe(400);
    const cut = await fetch(`${url}/v1/upload`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'multipart/form-data; boundary=b' },
      body: '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nhalf of it',
    });
    expect(cut.status).toBe(400);
  });

  it('answers at the limit, and lets nobody go on for ever', async () => {
    const { url, folder, server } = await serve();
    const answer = await sendLongRequest({
      url: `${url}/v1/upload`,
      method: 'POST',
      headers: { ...bearer, 'content-type': 'multipart/form-data; boundary=b' },
      begins: '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n',
      bytes: 1024 * LIMIT,
      heedless: true,
    });
    expect(answer.status).toBe(413);
    expect(answer.answeredAfter).toBeLessThan(32 * LIMIT);
    expect(answer.endedAfter).toBeLessThan(64 * LIMIT);
    expect(readdirSync(folder)).toEqual([]);
    expect(server.activeRequests()).toBe(0);
  });

  it('leaves no file and no handle when the client leaves half-way', async () => {
    const { port, folder, server } = await serve(100 * LIMIT);
    const socket = connect(port, '127.0.0.1');
    const head = [
      'POST /v1/upload HTTP/1.1',
      'host: x',
      `authorization: ${bearer.authorization}`,
      'content-type: multipart/form-data; boundary=b',
      `content-length: ${50 * LIMIT}`,
      '',
      '--b',
      'content-disposition: form-data; name="file"; filename="f"',
      '',
      '',
    ].join('\r\n');
    socket.write(head);
    for (let i = 0; i < 20; i++) {
      if (!socket.write(Buffer.alloc(LIMIT))) await once(socket, 'drain');
    }
    await expect.poll(() => readdirSync(folder).length).toBe(1);
    socket.destroy();
    await expect.poll(() => readdirSync(folder)).toEqual([]);
    await expect.poll(() => openFilesIn(folder)).toEqual([]);
    await expect.poll(() => server.activeRequests()).toBe(0);
  });
});
