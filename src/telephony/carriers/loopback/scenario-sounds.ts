import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { music, tone } from '../tones.ts';
import type { Scenario } from './scenario.ts';

export type SpeakText = (text: string, voice: string | undefined) => Promise<Uint8Array>;

export class ScenarioSounds {
  readonly #folder: string;
  readonly #speak: SpeakText;
  readonly #made = new Map<string, Promise<Uint8Array>>();

  constructor(folder: string, speak: SpeakText) {
    this.#folder = folder;
    this.#speak = speak;
  }

  /** Synthesizes all words of a scenario before its call is answered, so that the line does not wait for them. */
  async prepare({ steps = [], voice }: Scenario): Promise<void> {
    for (const step of steps) {
      if ('say' in step) await this.words(step.say, voice);
      else if ('menu' in step) {
        for (const text of [step.menu.prompt, ...Object.values(step.menu.keys)])
          await this.words(text, voice);
      }
    }
  }

  words(text: string, voice: string | undefined): Promise<Uint8Array> {
    return this.#once(`words ${voice ?? ''} ${text}`, (name) => this.#cached(name, text, voice));
  }

  tone(hertz: readonly number[], ms: number): Promise<Uint8Array> {
    return this.#once(`tone ${hertz.join()} ${ms}`, async () => tone(hertz, ms));
  }

  music(ms: number): Promise<Uint8Array> {
    return this.#once(`music ${ms}`, async () => music(ms));
  }

  #once(name: string, make: (name: string) => Promise<Uint8Array>): Promise<Uint8Array> {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const made = make(name);
    this.#made.set(name, made);
    made.catch(() => this.#made.delete(name));
    return made;
  }

  async #cached(name: string, text: string, voice: string | undefined): Promise<Uint8Array> {
    const path = join(this.#folder, `${createHash('sha256').update(name).digest('hex')}.ulaw`);
    const cached = await readFile(path).catch(() => null);
    if (cached !== null) return cached;
    const spoken = await this.#speak(text, voice);
    await mkdir(this.#folder, { recursive: true });
    const half = `${path}.${process.pid}`;
    await writeFile(half, spoken);
    await rename(half, path);
    return spoken;
  }
}
