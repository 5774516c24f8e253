/** A peer that finds a call's port can neither receive nor send its audio. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../poll.ts';
import { Party, rtpPacket } from './party.ts';
import { freePort, lacking, OWN_NUMBER, openWorld } from './peers.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function sender(address: string, source: number) {
  const socket = createSocket('udp4');
  closing.push(() => socket.close());
  socket.bind(0, address);
  await once(socket, 'listening');
  const one = {
    packets: 0,
    async speak(port: number, packets: number): Promise<void> {
      for (let at = 0; at < packets; at++) {
        await new Promise((resolve) => socket.send(rtpPacket(source, at), port, '127.0.0.1', resolve));
      }
    },
  };
  socket.on('message', () => {
    one.packets += 1;
  });
  return one;
}

const SILENCE_PACKETS = 120;

const lack = lacking();
describe.skipIf(lack !== null)(`a second sender${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  it('takes no call before its first packet nor in its silence, and a NAT of the trunk does', async () => {
    const signalling = freePort();
    let heard = 0;
    const world = await openWorld(signalling, {
      trunk: { allow: ['127.0.0.3'] },
      media: (media) =>
        media.bind({
          audio: () => {
            heard += 1;
          },
        }),
    });
    closing.push(() => world.close());
    const party = await Party.open(world.port, OWN_NUMBER, signalling);
    closing.push(() => party.close());
    expect(await party.call()).toBe('SIP/2.0 200 OK');
    const port = Number(
      /^m=audio (\d+) /m.exec(party.came.find((text) => text.includes('m=audio')) ?? '')?.[1],
    );
    const [intruder, nat] = [await sender('127.0.0.2', 2), await sender('127.0.0.3', 3)];
    const passed = async (packets: number) => {
      const end = party.packets + packets;
      await until(() => party.packets >= end);
    };

    await passed(5);
    await intruder.speak(port, 10);
    await passed(20);
    expect([intruder.packets, heard]).toEqual([0, 0]);

    await party.speak(port, 10);
    await until(() => heard > 0);
    await passed(SILENCE_PACKETS);
    const before = heard;
    await intruder.speak(port, 10);
    await passed(20);
    expect(intruder.packets).toBe(0);

    await nat.speak(port, 10);
    await until(() => nat.packets > 20);
    expect(heard).toBeGreaterThan(before);
    expect(intruder.packets).toBe(0);
  });
});
