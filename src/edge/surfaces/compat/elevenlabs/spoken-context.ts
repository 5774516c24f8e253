import type { Principal } from '../../../../foundation/access/contract.ts';
import { estimatedMs } from '../../../../speech/voices/index.ts';
import { SpeechLine, type SpeechLineDeps, type SpeechOrder, sentencesOf } from '../speech-line.ts';
import { type CharacterTimes, RunningAlignment } from './running-alignment.ts';

export interface ContextHearer {
  sound(audio: Buffer, alignment: CharacterTimes): void;
  failed(error: unknown): void;
}

export interface ContextSettings {
  readonly order: Omit<SpeechOrder, 'text'>;
  readonly bytesPerMs: number;
}

export class SpokenContext {
  readonly #line: SpeechLine;
  readonly #settings: ContextSettings;
  readonly #hearer: ContextHearer;
  #open = '';

  constructor(deps: SpeechLineDeps, caller: Principal, settings: ContextSettings, hearer: ContextHearer) {
    this.#settings = settings;
    this.#hearer = hearer;
    this.#line = new SpeechLine(deps, caller, settings.order, (error) => hearer.failed(error));
  }

  add(text: string): void {
    const { whole, rest } = sentencesOf(this.#open + text);
    this.#open = rest;
    this.#say(whole);
  }

  flush(): void {
    const rest = this.#open;
    this.#open = '';
    this.#say(rest);
  }

  end(over: () => void): void {
    this.flush();
    this.#line.afterSpeech(over);
  }

  clear(): void {
    this.#open = '';
    this.#line.clear();
  }

  full(): void {
    this.#line.full();
  }

  drained(): void {
    this.#line.drained();
  }

  #say(text: string): void {
    const { order, bytesPerMs } = this.#settings;
    const alignment = new RunningAlignment(text, estimatedMs(text, order.speed ?? 1));
    this.#line.say(text, {
      sound: (bytes) => this.#hearer.sound(bytes, alignment.next(bytes.length / bytesPerMs)),
      spoken: () => {
        const rest = alignment.rest();
        if (rest !== null) this.#hearer.sound(Buffer.alloc(0), rest);
      },
    });
  }
}
