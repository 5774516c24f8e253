// @requirement Browser calls: The playout buffer of the widget adapts to jitter and loss, and shrinks back.
// @requirement Browser calls: The widget continues a call after a lost connection, or calls again.
/** The published script's own playout buffer runs on a manual clock, with frames that come late. */
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../../src/apps/caller/index.ts';
import { sampleOf } from '../../../long-tests.ts';

const RATE = 16_000;
const OUT = 48_000;
const FRAME_MS = 20;
const SENTENCE_MS = 5_000;
const PAUSE_MS = 600;
const AHEAD_MS = 200;

interface Worklet {
  readonly lead: number;
  readonly port: { onmessage: (event: { data: ArrayBuffer }) => void };
  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
}

class Line {
  readonly #world;
  readonly #worklet: Worklet;
  readonly #block = new Float32Array(128);
  readonly #waiting: number[] = [];
  #now = 0;

  constructor() {
    let made: (new (options: object) => Worklet) | null = null;
    this.#world = createContext({
      sampleRate: OUT,
      currentTime: 0,
      AudioWorkletProcessor: class {
        readonly port = { postMessage: () => {}, onmessage: () => {} };
      },
      registerProcessor: (_: string, processor: new (options: object) => Worklet) => {
        made = processor;
      },
    });
    runInContext(readFileSync('src/apps/widget/widget.js', 'utf8'), this.#world);
    if (made === null) throw new Error('the script registers no processor');
    this.#worklet = new (made as new (options: object) => Worklet)({ processorOptions: { rate: RATE } });
  }

  get lead(): number {
    return this.#worklet.lead;
  }

  sentence(delayOf: () => number, lengthMs = SENTENCE_MS) {
    let last = 0;
    for (let sent = 0; sent < lengthMs; sent += FRAME_MS) {
      last = Math.max(last, this.#now + Math.max(0, sent - AHEAD_MS) + delayOf());
      this.#waiting.push(last);
    }
    const began = this.#now;
    const gaps: number[] = [];
    let [heard, silentMs, firstMs] = [0, 0, -1];
    for (; this.#now < began + lengthMs + PAUSE_MS; this.#now += (128 * 1000) / OUT) {
      this.#arrive();
      this.#block.fill(0);
      Object.assign(this.#world, { currentTime: this.#now / 1000 });
      this.#worklet.process([[]], [[this.#block]]);
      let sounding = 0;
      for (const sample of this.#block) sounding += sample === 0 ? 0 : 1;
      if (sounding > 0 && heard > 0 && silentMs > 3) gaps.push(silentMs);
      if (sounding > 0 && firstMs < 0) firstMs = this.#now - began;
      heard += sounding;
      silentMs = sounding > 0 ? 0 : silentMs + (128 * 1000) / OUT;
    }
    return { gaps, firstMs, heardMs: (heard * 1000) / OUT };
  }

  #arrive(): void {
    while ((this.#waiting[0] ?? Number.POSITIVE_INFINITY) <= this.#now) {
      this.#waiting.shift();
      this.#worklet.port.onmessage({ data: new Int16Array(RATE / 50).fill(9_000).buffer });
    }
  }
}

const CALM = () => 0;
/** The jitter is 150 ms, and one frame of twenty is late by twice as much. */
const jittered = (chance: SeededRandom) => () => chance.between(0, 150) + (chance.next() < 0.05 ? 300 : 0);

/** A frame is up to 450 ms late, the server is 200 ms ahead, and the buffer waits at most 300 ms. */
const MOST_GAP_MS = 400;
const MOST_START_MS = 500;

describe('the play-out buffer', () => {
  it('has no gaps on a calm line, and waits for nothing there', () => {
    const line = new Line();
    const heard = line.sentence(CALM);
    expect(heard.gaps).toEqual([]);
    expect(heard.firstMs).toBeLessThan(60);
    expect(heard.heardMs).toBeGreaterThanOrEqual(SENTENCE_MS);
  });

  it.each(sampleOf([4, 5, 6], 3))(
    'learns the delay of a line until it bridges it, and unlearns it (chance %i)',
    (seed) => {
      const line = new Line();
      const delayOf = jittered(new SeededRandom(seed));
      const sentences = Array.from({ length: 14 }, () => line.sentence(delayOf));
      for (const { gaps, firstMs, heardMs } of sentences) {
        expect(gaps.length).toBeLessThanOrEqual(4);
        expect(Math.max(0, ...gaps)).toBeLessThan(MOST_GAP_MS);
        expect(firstMs).toBeLessThan(MOST_START_MS);
        expect(heardMs).toBeGreaterThanOrEqual(SENTENCE_MS);
      }
      const late = line.lead;
      expect(late).toBeGreaterThan(6);
      expect(sentences.slice(-6).flatMap(({ gaps }) => gaps).length).toBeLessThanOrEqual(2);
      const calm = Array.from({ length: 28 }, () => line.sentence(CALM));
      expect(calm.flatMap(({ gaps }) => gaps)).toEqual([]);
      expect(line.lead).toBe(2);
    },
  );

  it('plays a word that is shorter than what it waits for', () => {
    const line = new Line();
    const delayOf = jittered(new SeededRandom(3));
    for (let sentence = 0; sentence < 6; sentence++) line.sentence(delayOf);
    expect(line.lead).toBeGreaterThan(10);
    const word = line.sentence(CALM, 100);
    expect(word.heardMs).toBeGreaterThanOrEqual(100);
    expect(word.firstMs).toBeLessThan(MOST_START_MS);
  });
});
