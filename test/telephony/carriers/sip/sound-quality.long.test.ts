// @requirement Call quality: A record reports clipping.
// @requirement Call quality: A record reports echo with level and delay.
import { afterEach, describe, expect, it } from 'vitest';
import { randomFrom } from '../../../../src/foundation/platform/seeded-random.ts';
import { convertAudio } from '../../../../src/media/engine/index.ts';
import type { MediaLeg } from '../../../../src/telephony/carriers/index.ts';
import { until } from '../../../poll.ts';
import { Exchange, WHO } from './exchange.ts';
import { freePort, lacking, OWN_NUMBER, openWorld } from './peers.ts';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function called(to: string): Promise<MediaLeg> {
  const port = freePort();
  const exchange = await Exchange.open(port);
  closing.push(() => exchange.close());
  const world = await openWorld(port);
  closing.push(() => world.close());
  return new Promise((resolve, reject) => {
    const reported = {
      state: (state: { kind: string; media?: MediaLeg }) => {
        if (state.kind === 'answered') resolve(state.media as MediaLeg);
      },
      key: () => undefined,
    };
    world.carrier.place({ id: 'tcl_1', from: OWN_NUMBER, to, ringMs: 20_000 }, reported).catch(reject);
  });
}

const random = randomFrom(1);

function noise(ms: number): Uint8Array {
  const samples = Buffer.alloc(ms * 16);
  for (let at = 0; at < ms * 8; at++)
    samples.writeInt16LE(at % 10 === 0 ? 32_767 : Math.round(16_000 * random() - 8_000), at * 2);
  return convertAudio('pcm16', samples, 'pcmu');
}

describe.skipIf(lacking() !== null)('the sound of a call over SIP', () => {
  it('tells what is clipped of it, and how late and how loud it comes back', async () => {
    const media = await called(WHO.echoes);
    const talking = setInterval(() => media.send(noise(100)), 100);
    closing.push(() => clearInterval(talking));
    await until(() => media.stats().echo !== null);
    const { received, sent, echo } = media.stats();
    expect(echo?.db).toBeGreaterThan(-22);
    expect(echo?.db).toBeLessThan(-18);
    expect(echo?.delayMs).toBeGreaterThan(10);
    expect(sent.clipped).toBeGreaterThan(0.02);
    expect(sent.clipped).toBeLessThanOrEqual(0.1);
    expect(received.clipped).toBe(0);
  });

  it('tells of no echo where there is none', async () => {
    const media = await called(WHO.answers);
    const talking = setInterval(() => media.send(noise(100)), 100);
    closing.push(() => clearInterval(talking));
    await until(() => media.stats().received.frames > 150);
    expect(media.stats().echo).toBeNull();
  });
});
