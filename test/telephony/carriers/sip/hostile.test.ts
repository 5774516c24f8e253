// @requirement SIP: Malformed messages do no harm.
/** Malformed and hostile messages do not end the signalling program, and the next valid call works. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { randomFrom } from '../../../../src/foundation/platform/seeded-random.ts';
import { mutated } from './mutations.ts';
import {
  answersTo,
  freePort,
  lacking,
  OWN_NUMBER,
  openWorld,
  sipp,
  spentMs,
  type World,
  type WorldOptions,
} from './peers.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function world(peerPort: number, options: WorldOptions = {}): Promise<World> {
  const made = await openWorld(peerPort, options);
  closing.push(() => made.close());
  return made;
}

async function socket(): Promise<Socket> {
  const made = createSocket('udp4');
  made.bind(0, '127.0.0.1');
  await once(made, 'listening');
  closing.push(async () => made.close());
  return made;
}

const send = (from: Socket, message: Buffer, port: number): Promise<void> =>
  new Promise((resolve) => from.send(message, port, '127.0.0.1', () => resolve()));

/** Repeats a lost request: large messages fill the kernel's buffer. */
async function lives(port: number, from?: string): Promise<boolean> {
  for (let times = 0; times < 5; times++) if ((await answersTo(port, from)) > 0) return true;
  return false;
}

/** After this many messages the program has read them all, so the test checks that it still answers. */
const BETWEEN = 50;
const lack = lacking('sipp');

async function answersACall({ port }: World, from: number): Promise<void> {
  const args = ['-p', String(from), '-s', OWN_NUMBER, '-m', '1', '-d', '100'];
  const { code, said } = await sipp('uac', port, args);
  expect(code, said).toBe(0);
}

describe.skipIf(lack !== null)(`hostile SIP${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  it.each([1, 2, 3])('survives 1,000 mutated messages of the seed %i', async (seed) => {
    const peer = freePort();
    const made = await world(peer, {
      on: (call, answer) => {
        if (call.from === 'sipp') answer();
        else void call.reject('busy');
      },
    });
    const from = await socket();
    const own = `127.0.0.1:${from.address().port}`;
    const chance = randomFrom(seed);
    for (let number = 0; number < 1_000; number++) {
      await send(
        from,
        mutated(chance, seed * 10_000 + number, own, `${OWN_NUMBER}@127.0.0.1:${made.port}`),
        made.port,
      );
      if (number % BETWEEN === BETWEEN - 1)
        expect(await lives(made.port), `after message ${number} of seed ${seed}`).toBe(true);
    }
    await answersACall(made, peer);
    expect(made.errors).toEqual([]);
    expect(made.calls.length).toBeGreaterThan(1);
  });

  it('answers a good call behind them, over TCP as well', async () => {
    const peer = freePort();
    const made = await world(peer);
    const chance = randomFrom(4);
    for (let number = 0; number < 60; number++) {
      const stream = connect(made.port, '127.0.0.1');
      stream.on('error', () => undefined);
      await once(stream, 'connect');
      const message = mutated(chance, number, `127.0.0.1:${peer}`, `${OWN_NUMBER}@127.0.0.1:${made.port}`);
      stream.write(message.subarray(0, message.length >> 1));
      if (number % 3 !== 0) stream.write(message.subarray(message.length >> 1));
      if (number % 2 === 0) stream.destroy();
      else closing.push(async () => stream.destroy());
    }
    expect(await lives(made.port)).toBe(true);
    await answersACall(made, peer);
    expect(made.errors).toEqual([]);
  });

  // @requirement SIP: Unknown sources are dropped cheaply.
  it('drops a flood of who is no trunk: no answer, no call, and nothing of it is read', async () => {
    const made = await world(freePort(), { trunk: { host: '127.0.0.9' } });
    const from = await socket();
    let answers = 0;
    from.on('message', () => answers++);
    const own = `127.0.0.1:${from.address().port}`;
    const chance = randomFrom(5);
    const before = spentMs();
    for (let number = 0; number < 1_000; number++)
      await send(from, mutated(chance, number, own, `${OWN_NUMBER}@127.0.0.1:${made.port}`), made.port);
    // Messages are read in their order: the trunk's own is answered once all of the flood was dropped.
    expect(await lives(made.port, '127.0.0.9')).toBe(true);
    expect([answers, made.calls.length, made.errors.length]).toEqual([0, 0, 0]);
    expect(spentMs() - before).toBeLessThan(50);
  });
});
