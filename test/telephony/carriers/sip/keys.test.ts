// @requirement SIP: DTMF works as events and as tones, both ways.
/** The other side knows no telephone events; the carriers' suite covers the events. */
import { afterEach, describe, expect, it } from 'vitest';
import { convertAudio } from '../../../../src/media/engine/index.ts';
import { KeyMerger, keyOfInfo } from '../../../../src/telephony/carriers/sip/key-merger.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { Exchange, WHO } from './exchange.ts';
import { freePort, lacking, OWN_NUMBER, openWorld, sipp } from './peers.ts';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const LOW = [697, 770, 852, 941];
const HIGH = [1209, 1336, 1477, 1633];
const WINDOW = 160;

/** Returns the share of one frequency in these samples: 1 where nothing else sounds (Goertzel). */
function share(samples: Int16Array, hertz: number): number {
  let re = 0;
  let im = 0;
  let power = 1;
  for (const [at, sample] of samples.entries()) {
    const angle = (2 * Math.PI * hertz * at) / 8000;
    re += sample * Math.cos(angle);
    im += sample * Math.sin(angle);
    power += sample * sample;
  }
  return (2 * (re * re + im * im)) / (samples.length * power);
}

const strongest = (samples: Int16Array, of: readonly number[]): number =>
  of
    .map((hertz) => share(samples, hertz))
    .reduce((best, one, at, all) => (one > (all[best] ?? 0) ? at : best), 0);

function keysIn(ulaw: Buffer): string {
  const bytes = convertAudio('pcmu', ulaw, 'pcm16');
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  let keys = '';
  let last = '';
  for (let at = 0; at + WINDOW <= samples.length; at += WINDOW) {
    const window = samples.subarray(at, at + WINDOW);
    const low = strongest(window, LOW);
    const high = strongest(window, HIGH);
    const both = share(window, LOW[low] as number) + share(window, HIGH[high] as number);
    const key = both > 0.8 ? ('123A456B789C*0#D'[4 * low + high] as string) : '';
    if (key !== last) keys += key;
    last = key;
  }
  return keys;
}

describe.skipIf(lacking() !== null)('a side without telephone events', () => {
  it('is heard to press keys in its sound, each once, and hears ours in its sound', async () => {
    const port = freePort();
    const exchange = await Exchange.open(port);
    closing.push(() => exchange.close());
    const world = await openWorld(port);
    closing.push(() => world.close());
    const keys: string[] = [];
    let pressed = (): void => undefined;
    const both = new Promise<void>((resolve) => (pressed = resolve));
    const call = await new Promise<{ sendKeys(digits: string): Promise<void> }>((resolve, reject) => {
      const placed = world.carrier.place(
        { id: 'tcl_1', from: OWN_NUMBER, to: WHO.plain, ringMs: 20_000 },
        {
          state: ({ kind }) => {
            if (kind === 'answered') placed.then(resolve, reject);
          },
          key: (digit) => {
            if (keys.push(digit) === 2) pressed();
          },
        },
      );
    });
    await call.sendKeys('1w#');
    await both;
    expect(keys).toEqual(['5', '7']);
    while (keysIn(Buffer.concat(exchange.heard)).length < 2)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(keysIn(Buffer.concat(exchange.heard))).toBe('1#');
  });
});

describe.skipIf(lacking('sipp') !== null)('a side that sends keys by INFO', () => {
  it('is heard to press them, in both forms', async () => {
    const port = freePort();
    const world = await openWorld(port);
    closing.push(() => world.close());
    const args = ['-p', String(port), '-s', OWN_NUMBER, '-m', '1'];
    const { code, said } = await sipp('presses-by-info.xml', world.port, args);
    expect(code, said).toBe(0);
    const reported = await world.call();
    await reported.until('ended');
    expect(reported.keys).toEqual(['5', '#', '*']);
  });
});

describe('the body of an INFO', () => {
  it.each([
    ['Signal=5\r\nDuration=160', '5'],
    ['Signal= *\r\nDuration= 250\r\n', '*'],
    ['Duration=100\nSignal=11', '#'],
    ['Signal=12', 'A'],
    ['d', 'D'],
    ['Signal=16', null],
    ['<media_control/>', null],
    ['', null],
  ])('%j holds %j', (body, key) => {
    expect(keyOfInfo(body)).toBe(key);
  });
});

describe('keys that come both ways', () => {
  it('are told once each, however often one is pressed', () => {
    const clock = new ManualClock(0);
    const keys: string[] = [];
    const merger = new KeyMerger(clock, (digit) => keys.push(digit));
    for (const digit of ['5', '5', '1']) {
      merger.take(digit, 'sound');
      merger.take(digit, 'signalling');
    }
    expect(keys.join('')).toBe('551');
    merger.take('7', 'signalling');
    clock.advance(1_000);
    merger.take('7', 'sound');
    expect(keys.join('')).toBe('55177');
  });
});
