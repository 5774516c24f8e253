import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import type { Surface } from '../../../src/edge/server/surface.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { RawConnection } from './fixtures/raw-connection.ts';
import { bearer, start } from './fixtures/start.ts';

interface Waiter {
  readonly surface: Surface;
  readonly begun: Promise<AbortSignal>;
  readonly release: () => void;
}

function waiter(): Waiter {
  let begin!: (signal: AbortSignal) => void;
  let release!: () => void;
  const begun = new Promise<AbortSignal>((resolve) => (begin = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const surface: Surface = {
    name: 'waiter',
    routes: (app) => {
      app.post('/v1/wait', {
        config: { access: { kind: 'key' } },
        schema: { body: Type.Unknown() },
        handler: async (request) => {
          const { gone } = request;
          begin(gone);
          const left = new Promise((_resolve, reject) => {
            gone.addEventListener('abort', () => reject(gone.reason), { once: true });
          });
          await Promise.race([released, left]);
          return { done: true };
        },
      });
    },
  };
  return { surface, begun, release };
}

const post = (body: string): string =>
  [
    'POST /v1/wait HTTP/1.1',
    'host: x',
    `authorization: ${bearer.authorization}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

describe('request.gone', () => {
  it('tells that the client has left after its body was read, and logs no error for it', async () => {
    const { surface, begun } = waiter();
    const lines: string[] = [];
    const log = createLog({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
    const { port, server } = await start({ surfaces: [surface], log });
    const client = await RawConnection.open(port);
    client.write(post('{"long":true}'));
    const gone = await begun;
    expect(gone.aborted).toBe(false);
    client.socket.destroy();
    await aborted(gone);
    expect(gone.reason).toBeInstanceOf(ApiError);
    await expect.poll(() => server.activeRequests()).toBe(0);
    await expect.poll(() => lines.join('')).toContain('The client closed the connection.');
    expect(lines.filter((line) => /"level":("error"|50)/.test(line))).toEqual([]);
  });

  it('gives up what is not done when the server ends, and the client is told so', async () => {
    const { surface, begun } = waiter();
    const { port, server } = await start({ surfaces: [surface] });
    const client = await RawConnection.open(port);
    client.write(post('{"long":true}'));
    const gone = await begun;
    const drained = server.drain(0.5);
    const answer = await client.response();
    expect(answer.status).toBe(503);
    expect(answer.head).toMatch(/^retry-after: 5\r?$/im);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'unavailable' } });
    expect(gone.aborted).toBe(true);
    await drained;
  });

  it('says nothing when the client waits, nor once it has its answer', async () => {
    const { surface, begun, release } = waiter();
    const { port, server } = await start({ surfaces: [surface] });
    const client = await RawConnection.open(port);
    client.write(post('{}'));
    const gone = await begun;
    release();
    expect((await client.response()).body).toBe('{"done":true}');
    expect(gone.aborted).toBe(false);
    client.socket.destroy();
    await client.untilClosed();
    await expect.poll(() => server.activeRequests()).toBe(0);
    expect(gone.aborted).toBe(false);
  });
});
