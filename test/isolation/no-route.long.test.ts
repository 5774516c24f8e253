// @requirement Egress: The server makes no outgoing connection that is not configured.
/**
 * Every surface works in a network namespace without a route: nothing leaves the machine. The kernel counts attempts.
 */
import { createSocket } from 'node:dgram';
import { lookup, resolve4 } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { World } from '../contract/world.ts';
import { root } from '../running-server.ts';
import { type Elsewhere, echoing } from './elsewhere.ts';
import { attempts, namespaceAllowed, runWithoutRoute } from './no-route.ts';
import { spokenBy, walkRoutes, walkSockets } from './walk.ts';

const INSIDE = 'TRUNKLINE_TEST_NO_ROUTE';
const inside = process.env[INSIDE] === 'inside';
const needed = ['silero-vad', 'whisper-base', 'moonshine-tiny-en', 'piper-joe', 'espeak-ng'];
const models = new Models();
const absent = needed.filter((id) => !models.status(id).ready).join(', ');
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);
const LONG = 400_000;

const describeOutside = inside ? () => undefined : describe.skipIf(absent !== '' || !namespaceAllowed());
describeOutside('a machine without a route', () => {
  it('is all that every surface needs', { timeout: LONG }, async () => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { PATH, HOME, TRUNKLINE_MODELS } = process.env;
    const { code, said } = await runWithoutRoute(
      [process.execPath, vitest, 'run', fileURLToPath(import.meta.url)],
      { PATH, HOME, TRUNKLINE_MODELS, [INSIDE]: 'inside' },
    );
    expect(said).toMatch(/Tests .*[1-9]\d* passed/);
    expect(code, said).toBe(0);
  });
});

async function triedBy(task: () => Promise<unknown>): Promise<number> {
  const before = attempts();
  await task().catch(() => undefined);
  return attempts() - before;
}

async function dialled(host: string): Promise<void> {
  await once(connect(443, host), 'connect');
}

async function datagram(type: 'udp4' | 'udp6', host: string): Promise<void> {
  const socket = createSocket(type);
  await new Promise<void>((resolve) => socket.send('x', 53, host, () => resolve()));
  socket.close();
}

const describeInside = inside ? describe : () => undefined;
describeInside('without a route', () => {
  let world: World;
  let customer: Elsewhere;
  let model: Elsewhere;
  const atStart = inside ? attempts() : 0;

  beforeAll(async () => {
    customer = await echoing(200);
    model = await echoing(400);
    world = await World.open({
      settings: {
        TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
        TRUNKLINE_BRAIN_URL: model.url,
        TRUNKLINE_BRAIN_MODEL: 'refusing',
      },
    });
  }, 120_000);
  afterAll(async () => {
    await world.stop();
    for (const one of [customer, model]) await one.close();
  });

  it('starts with no attempt to leave', () => {
    expect(world.ready).toBe(true);
    expect(attempts() - atStart).toBe(0);
  });

  it('serves every route with none', { timeout: LONG }, async () => {
    const tried: string[] = [];
    let before = attempts();
    const walked = await walkRoutes(world, {
      elsewhere: customer.url,
      after: (name) => {
        const now = attempts();
        if (now > before) tried.push(`${name}: ${now - before}`);
        before = now;
      },
    });
    expect(walked.filter(({ answer }) => answer.status < 300).length).toBeGreaterThan(50);
    expect(tried).toEqual([]);
  });

  it('serves every socket with none', { timeout: LONG }, async () => {
    const before = attempts();
    const pcm = await spokenBy(world, 'The purple elephant forgot an umbrella.');
    const reported = await walkSockets(world, {
      pcm,
      hello: { '/v1/omni': { type: 'configure', voice_id: 'joe_en_us' } },
      goodbye: { '/v1/audio/transcriptions/stream': { type: 'close' } },
    });
    expect(reported['/v1/omni']?.join('\n')).toMatch(/elephant|umbrella/i);
    expect(attempts() - before).toBe(0);
  });

  it('would have counted each way out', async () => {
    expect(await triedBy(() => dialled('192.0.2.1'))).toBeGreaterThan(0);
    expect(await triedBy(() => dialled('2001:db8::1'))).toBeGreaterThan(0);
    expect(await triedBy(() => datagram('udp4', '192.0.2.1'))).toBeGreaterThan(0);
    expect(await triedBy(() => datagram('udp6', '2001:db8::1'))).toBeGreaterThan(0);
    expect(await triedBy(() => lookup('somewhere.example.com'))).toBeGreaterThan(0);
    expect(await triedBy(() => resolve4('somewhere.example.com'))).toBeGreaterThan(0);
    expect(await triedBy(() => lookup('localhost'))).toBe(0);
  });
});
