import type { Clock } from '../../../foundation/platform/clock.ts';
import type { FarAudio } from './far-audio.ts';
import type { Scenario, Step } from './scenario.ts';
import type { ScenarioSounds } from './scenario-sounds.ts';

export interface FarSideOptions {
  readonly clock: Clock;
  readonly audio: FarAudio;
  readonly sounds: ScenarioSounds;
  readonly scenario: Scenario;
  readonly press: (digit: string) => void;
  readonly hangUp: () => void;
}

const SILENCE_MS = 700;
const MOST_LISTENING_MS = 20_000;
const MENU_WAIT_MS = 8_000;
const LOOK_MS = 50;
const KEY_MS = 250;
const PAUSE_OF_W_MS = 500;

class HungUp extends Error {}

export class FarSide {
  readonly #options: FarSideOptions;
  readonly #keys: string[] = [];
  #keyCame: () => void = () => undefined;
  #over = false;
  #wake: () => void = () => undefined;

  constructor(options: FarSideOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { scenario } = this.#options;
    try {
      for (const step of scenario.steps ?? []) await this.#do(step);
    } catch (error) {
      if (!(error instanceof HungUp)) throw error;
    }
  }

  key(digit: string): void {
    this.#keys.push(digit);
    this.#keyCame();
  }

  stop(): void {
    this.#over = true;
    this.#options.audio.hush();
    this.#keyCame();
    this.#wake();
  }

  async #do(step: Step): Promise<void> {
    const { audio, sounds, scenario, press, hangUp } = this.#options;
    if (this.#over) throw new HungUp();
    if ('pause_ms' in step) await this.#wait(step.pause_ms);
    else if ('say' in step) await audio.say(await sounds.words(step.say, scenario.voice));
    else if ('tone' in step) await audio.say(await sounds.tone(step.tone.hertz, step.tone.ms));
    else if ('music_ms' in step) await audio.say(await sounds.music(step.music_ms));
    else if ('listen' in step) await this.#listen(step.listen);
    else if ('menu' in step) await this.#menu(step.menu);
    else if ('press' in step) {
      for (const digit of step.press) {
        if (digit === 'w') await this.#wait(PAUSE_OF_W_MS);
        else press(digit);
        await this.#wait(KEY_MS);
      }
    } else {
      hangUp();
      throw new HungUp();
    }
    if (this.#over) throw new HungUp();
  }

  async #listen({
    silence_ms = SILENCE_MS,
    most_ms = MOST_LISTENING_MS,
  }: {
    silence_ms?: number;
    most_ms?: number;
  }): Promise<void> {
    const { clock, audio } = this.#options;
    const began = clock.monotonic();
    for (;;) {
      const now = clock.monotonic();
      const spoke = audio.hearsUntil > began;
      if (spoke && now >= audio.hearsUntil + silence_ms) return;
      if (now - began >= most_ms) return;
      await this.#wait(LOOK_MS);
    }
  }

  async #menu({ prompt, keys, times = 3, wait_ms = MENU_WAIT_MS }: Extract<Step, { menu: unknown }>['menu']) {
    const { audio, sounds, scenario, hangUp } = this.#options;
    this.#keys.length = 0;
    for (let time = 0; time < times; time++) {
      const said = audio.say(await sounds.words(prompt, scenario.voice));
      await Promise.race([said, this.#key()]);
      if (this.#keys.length === 0) await Promise.race([this.#wait(wait_ms), this.#key()]);
      if (this.#over) throw new HungUp();
      const answer = keys[this.#keys.shift() ?? ''];
      audio.hush();
      if (answer === undefined) continue;
      await audio.say(await sounds.words(answer, scenario.voice));
      return;
    }
    hangUp();
    throw new HungUp();
  }

  #key(): Promise<void> {
    if (this.#keys.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#keyCame = resolve;
    });
  }

  async #wait(ms: number): Promise<void> {
    if (this.#over) throw new HungUp();
    await new Promise<void>((resolve) => {
      const stop = this.#options.clock.after(ms, resolve);
      this.#wake = () => {
        stop();
        resolve();
      };
    });
    if (this.#over) throw new HungUp();
  }
}
