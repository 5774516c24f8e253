// @requirement API contract: Refusals carry `RateLimit` headers, and the refusal of a signup names its limit.
// @requirement Browser calls: A browser token is spent when the session begins.
// @requirement Authentication: A socket takes its key by subprotocol, header or `api_key`, and never reflects it.
// @requirement Versioning: The discontinued Omni v2 chat URL answers 404.
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { AcceptedSocket } from '../../../src/edge/server/surface.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import { OneKeyAccess } from './fixtures/access.ts';
import { EchoSurface } from './fixtures/echo.ts';
import { RawConnection } from './fixtures/raw-connection.ts';
import { keyHeader, serve, upgrade } from './fixtures/sockets.ts';
import { bearer, start } from './fixtures/start.ts';

describe('an upgrade', () => {
  it('takes the key as header, alias, query or subprotocol', async () => {
    const { ws, echo } = await serve();
    const ways = [
      new WebSocket(`${ws}/v1/echo`, { headers: bearer }),
      new WebSocket(`${ws}/v1/echo`, { headers: { 'x-api-key': OneKeyAccess.KEY } }),
      new WebSocket(`${ws}/v1/echo?api_key=${OneKeyAccess.KEY}&anything=else`),
      new WebSocket(`${ws}/v1/echo`, ['svc.v1', `svc-key.${OneKeyAccess.KEY}`]),
    ];
    for (const socket of ways) {
      if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open');
      socket.send('hello');
      const [data] = await once(socket, 'message');
      expect(data.toString()).toBe('hello');
      socket.close();
    }
    expect(echo.requests[0]!.principal?.keyId).toMatch(/^key_/);
  });

  it('selects the marker and never reflects the key', async () => {
    const { port } = await serve();
    const offer = async (protocols: string) => {
      const peer = await RawConnection.open(port);
      peer.write(upgrade('/v1/echo', `sec-websocket-protocol: ${protocols}\r\n`));
      const text = await peer.until((one) => one.includes('\r\n\r\n'));
      peer.socket.destroy();
      return text;
    };
    const both = await offer(`svc.v1, svc-key.${OneKeyAccess.KEY}`);
    expect(both).toMatch(/^HTTP\/1\.1 101/);
    expect(both).toMatch(/sec-websocket-protocol: svc\.v1\r\n/i);
    expect(both).not.toContain(OneKeyAccess.KEY);
    const alone = await offer(`svc-key.${OneKeyAccess.KEY}`);
    expect(alone).toMatch(/^HTTP\/1\.1 101/);
    expect(alone).not.toMatch(/sec-websocket-protocol/i);
    expect(alone).toMatch(/x-request-id: req_/);
  });

  it.each([
    ['without a key', '', 401, 'missing_api_key'],
    ['with a wrong key', 'x-api-key: svc_test_wrong\r\n', 401, 'invalid_api_key'],
  ])('%s is refused before the 101', async (_what, extra, status, code) => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    peer.write(upgrade('/v1/echo', extra));
    const answer = await peer.response();
    expect(answer.status).toBe(status);
    expect(Object.keys(JSON.parse(answer.body))).toEqual(['error']);
    expect(JSON.parse(answer.body).error.code).toBe(code);
    expect(answer.head).toMatch(/x-request-id: req_/);
    await peer.untilClosed();
  });

  it('without the scope is refused with 403, and by the route with its own error', async () => {
    const poor = await serve(['other']);
    const peer = await RawConnection.open(poor.port);
    peer.write(upgrade('/v1/echo', keyHeader));
    const forbidden = await peer.response();
    expect(forbidden.status).toBe(403);
    expect(JSON.parse(forbidden.body).error.param).toBe('echo:open');
    const { port } = await serve();
    const other = await RawConnection.open(port);
    other.write(upgrade('/v1/echo?refuse=1', keyHeader));
    const refused = await other.response();
    expect(refused.status).toBe(400);
    expect(refused.head).toMatch(/application\/problem\+json/);
    expect(JSON.parse(refused.body).error).toMatchObject({ code: 'invalid_request', param: 'refuse' });
    expect(refused.head).toMatch(/ratelimit: "default"/i);
  });

  it('says its limits too where the store fails', async () => {
    const { port, echo } = await serve();
    echo.accepting = async () => {
      throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' });
    };
    const peer = await RawConnection.open(port);
    peer.write(upgrade('/v1/echo', keyHeader));
    const refused = await peer.response();
    expect(refused.status).toBe(503);
    expect(JSON.parse(refused.body).error.code).toBe('unavailable');
    expect(refused.head).toMatch(/ratelimit: "default"/i);
    expect(refused.head).toMatch(/retry-after: \d/i);
  });

  it('is refused on the open socket where the route would rather tell it there, by access or by itself', async () => {
    const reported = new EchoSurface();
    const refuse = (error: ApiError): AcceptedSocket | null =>
      error.status !== 429
        ? null
        : {
            open: (socket) => {
              socket.close(4429, error.code);
              return { onMessage: () => {}, onClosed: () => {} };
            },
          };
    const sockets = reported.sockets.map((route) => ({ ...route, refuse }));
    const access = new OneKeyAccess();
    const authorize = access.authorize;
    let limited = true;
    access.authorize = async (presented, requirement) => {
      const authorized = await authorize(presented, requirement);
      if (limited) throw new ApiError('rate_limit_exceeded', 'Slower.', { retryAfter: 1 });
      return authorized;
    };
    const { url } = await start({ surfaces: [{ name: 'told', sockets }], access });
    const address = `${url.replace('http', 'ws')}/v1/echo`;
    const closing = async () => {
      const [code, reason] = await once(new WebSocket(address, { headers: bearer }), 'close');
      return [code, reason.toString()];
    };
    expect(await closing()).toEqual([4429, 'rate_limit_exceeded']);
    expect(reported.requests).toEqual([]);
    limited = false;
    reported.accepting = async () => {
      throw new ApiError('concurrency_limit_exceeded', 'Enough.', { retryAfter: 1 });
    };
    expect(await closing()).toEqual([4429, 'concurrency_limit_exceeded']);
    const [, response] = await once(new WebSocket(address), 'unexpected-response');
    expect(response.statusCode).toBe(401);
  });

  it('tells a plain request to upgrade, and an unknown path that it is none', async () => {
    const { url, port } = await serve();
    const plain = await fetch(`${url}/v1/echo`);
    expect(plain.status).toBe(426);
    expect(plain.headers.get('upgrade')).toBe('websocket');
    expect(await plain.json()).toMatchObject({ error: { code: 'upgrade_required' } });
    const wrong = await fetch(`${url}/v1/echo`, { method: 'POST', body: 'x' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const path of ['/v2/omni/chat', '/v2/omni/chat?agent=x']) {
      expect(((await (await fetch(url + path)).json()) as { detail: string }).detail).toMatch(
        /session_label/,
      );
      const peer = await RawConnection.open(port);
      peer.write(upgrade(path, keyHeader));
      const gone = await peer.response();
      expect(gone.status).toBe(404);
      expect(gone.body).toMatch(/session_label/);
      peer.socket.destroy();
    }
  });

  it('gives back what was accepted when the peer leaves before the 101', async () => {
    const { port, echo } = await serve();
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    echo.accepting = () => held;
    const peer = await RawConnection.open(port);
    peer.write(upgrade('/v1/echo', keyHeader));
    await expect.poll(() => echo.requests.length).toBe(1);
    peer.socket.destroy();
    await once(peer.socket, 'close');
    await new Promise((resolve) => setImmediate(resolve));
    go();
    await expect.poll(() => echo.abandoned).toBe(1);
    expect(echo.opened).toHaveLength(0);
  });
});
