// @requirement WebRTC: A call survives 5 % loss and an ICE restart.
/**
 * Chromium and a node exchange a tone and the data channel through a relay that loses packets and then disappears,
 * without a model.
 */
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import type { DescribedPeer, PeerRate } from '../../../src/telephony/webrtc/index.ts';
import { browserAbsent, openPage } from '../../browser.ts';
import { compileProgram } from '../../running-server.ts';
import { type Between, hidden, ledThrough } from './between.ts';
import { node } from './nodes.ts';

beforeAll(compileProgram, 120_000);

const LOSS = 0.05;
const tone = (rate: number, seconds: number): Buffer =>
  Buffer.from(
    Int16Array.from({ length: rate * seconds }, (_, i) => 12_000 * Math.sin((2 * Math.PI * 400 * i) / rate))
      .buffer,
  );

interface Page {
  readonly connection: { close(): void };
  readonly reported: string[];
  level(): number;
  restart(): Promise<void>;
  say(text: string): void;
}
declare const side: Page;

declare function begin(): Promise<void>;
const PAGE_PEER = join(import.meta.dirname, 'page-peer.js');

it.skipIf(browserAbsent)(
  'hears and is heard over a way that loses 5 %, and goes on by another way',
  async () => {
    const { page } = await openPage(tone(8000, 60));
    const webrtc = node();
    const ways: Between[] = [];
    const led = async (sdp: string) => {
      const through = await ledThrough(sdp, LOSS);
      ways.push(...through.ways);
      return through.sdp;
    };
    const near = { rate: 0, loud: 0, samples: 0, reported: [] as string[], open: false };
    const ended = vi.fn();
    let described: DescribedPeer | null = null;
    const listener = {
      connected: (rate: PeerRate) => {
        near.rate = rate;
      },
      audio: (pcm: Uint8Array) => {
        for (const sample of new Int16Array(pcm.slice().buffer)) if (Math.abs(sample) > 3_000) near.loud += 1;
        near.samples += pcm.length / 2;
      },
      channelOpen: () => {
        near.open = true;
      },
      data: (bytes: Uint8Array) => void near.reported.push(Buffer.from(bytes).toString()),
      ended,
    };
    await page.exposeFunction('answer', async (offer: string) => {
      described = await webrtc.answer(hidden(offer), listener);
      return await led(described.sdp);
    });
    await page.exposeFunction('another', async (offer: string) =>
      led(await described!.peer.restart(hidden(offer))),
    );
    await page.addScriptTag({ path: PAGE_PEER });
    await page.evaluate(() => begin());
    await vi.waitFor(() => expect([near.rate, near.open]).toEqual([24_000, true]), 15_000);
    const { peer } = described as unknown as DescribedPeer;
    const talk = async (word: string) => {
      const before = near.loud;
      for (let second = 0; second < 4; second += 1) peer.send(tone(24_000, 0.4));
      await page.waitForFunction(() => side.level() > 0.1, null, { timeout: 10_000 });
      await vi.waitFor(() => expect(near.loud - before).toBeGreaterThan(24_000), 15_000);
      await page.evaluate((text) => side.say(text), word);
      peer.data(Buffer.from(word));
      await vi.waitFor(() => expect(near.reported).toContain(word), 10_000);
      await page.waitForFunction((text) => side.reported.includes(text), word, { timeout: 10_000 });
    };
    await talk('first');
    expect(ways).toHaveLength(1);
    ways[0]!.there = false;
    await page.evaluate(() => side.restart());
    await vi.waitFor(() => expect(ways.at(-1)!.passed).toBeGreaterThan(20), 10_000);
    expect(ways).toHaveLength(2);
    await talk('second');
    await page.evaluate(() => side.connection.close());
    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1), 10_000);
    const [end, stats] = ended.mock.calls[0] as Parameters<typeof listener.ended>;
    expect(end).toBe('closed');
    expect(stats).toMatchObject({ codec: 'opus' });
    expect(stats.lost).toBeGreaterThan(2);
  },
  60_000,
);
