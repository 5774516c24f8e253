import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessControl, Admission, Principal } from '../../../foundation/access/contract.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';

export type SpokenFormat = 'mp3' | 'pcm' | 'wav' | 'opus' | 'aac' | 'flac' | 'g711_ulaw' | 'g711_alaw';

export interface SpeechOrder {
  readonly text: string;
  readonly voice?: string | undefined;
  readonly format?: SpokenFormat | undefined;
  readonly sampleRate?: number | undefined;
  readonly speed?: number | undefined;
  readonly anyRate?: boolean;
}

interface Spoken {
  readonly wire: { readonly contentType: string };
  whole(): Promise<Buffer>;
  stream(): Readable;
}

export interface RequestSpeaker {
  begin(request: FastifyRequest, reply: FastifyReply, order: SpeechOrder): Promise<Spoken>;
}

export interface ConnectionSpeaker {
  speak(
    listener: {
      readonly id: string;
      readonly caller: Principal;
      readonly gone: AbortSignal;
      admit(milliseconds: number): Promise<Admission>;
    },
    order: SpeechOrder,
  ): Promise<Spoken>;
}

export interface SpeechLineDeps {
  readonly speechService: ConnectionSpeaker;
  readonly access: Pick<AccessControl, 'admit'>;
}

export const withoutUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

export interface Hearer {
  sound(bytes: Buffer): void;
  spoken?(): void;
}

const MOST_WAITING_CHARACTERS = 40_000;
/** Longer texts are split, because Speak accepts no more at once. */
const MOST_CHARACTERS = 4000;

export class SpeechLine {
  readonly #deps: SpeechLineDeps;
  readonly #caller: Principal;
  readonly #order: Omit<SpeechOrder, 'text'>;
  readonly #failed: (error: unknown) => void;
  #tail: Promise<void> = Promise.resolve();
  #round = new AbortController();
  #waiting = 0;
  #isFull = false;
  #onCapacity: (() => void) | null = null;

  constructor(
    deps: SpeechLineDeps,
    caller: Principal,
    order: Omit<SpeechOrder, 'text'>,
    failed: (error: unknown) => void,
  ) {
    this.#deps = deps;
    this.#caller = caller;
    this.#order = order;
    this.#failed = failed;
  }

  /** Throws ApiError when the queue is full. */
  say(text: string, hearer: Hearer): void {
    if (text.trim() === '') return;
    this.#waiting += text.length;
    if (this.#waiting > MOST_WAITING_CHARACTERS) {
      const message = `At most ${MOST_WAITING_CHARACTERS} characters can be queued for synthesis on a connection.`;
      throw new ApiError('payload_too_large', message);
    }
    const { signal } = this.#round;
    for (const part of partsOf(text)) this.#next(() => this.#speak(part, hearer, signal));
    this.#next(async () => {
      this.#waiting -= text.length;
      if (!signal.aborted) hearer.spoken?.();
    });
  }

  afterSpeech(step: () => void): void {
    this.#next(async () => step());
  }

  clear(): void {
    this.#round.abort(new ApiError('unavailable', 'The text was cleared.'));
    this.#round = new AbortController();
    this.#onCapacity?.();
  }

  full(): void {
    this.#isFull = true;
  }

  drained(): void {
    this.#isFull = false;
    this.#onCapacity?.();
  }

  #next(step: () => Promise<void>): void {
    this.#tail = this.#tail.then(step).catch(this.#failed);
  }

  async #speak(text: string, hearer: Hearer, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    let admission: Admission | undefined;
    try {
      const listener = {
        id: newId('req'),
        caller: this.#caller,
        gone: signal,
        admit: async (milliseconds: number) => {
          admission = await this.#deps.access.admit(this.#caller, 'speak.speech', {
            realtime: false,
            milliseconds,
          });
          return admission;
        },
      };
      const spoken = await this.#deps.speechService.speak(listener, { ...this.#order, text });
      for await (const bytes of spoken.stream() as AsyncIterable<Buffer>) {
        if (signal.aborted) return;
        hearer.sound(bytes);
        if (this.#isFull) await this.#emptied(signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await admission?.release();
    }
  }

  #emptied(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#onCapacity = () => {
        if (this.#isFull && !signal.aborted) return;
        this.#onCapacity = null;
        resolve();
      };
      this.#onCapacity();
    });
  }
}

const SENTENCE = /[.!?…。！？।]["'”’)\]]*\s+/gu;
const LEAST_CHARACTERS = 20;

export function sentencesOf(text: string): { whole: string; rest: string } {
  let end = 0;
  for (const match of text.matchAll(SENTENCE)) {
    const after = match.index + match[0].length;
    if (after >= LEAST_CHARACTERS) end = after;
  }
  return { whole: text.slice(0, end), rest: text.slice(end) };
}

function* partsOf(text: string): Generator<string> {
  let rest = text;
  while (rest.length > MOST_CHARACTERS) {
    const space = rest.lastIndexOf(' ', MOST_CHARACTERS);
    const at = space > 0 ? space : MOST_CHARACTERS;
    yield rest.slice(0, at);
    rest = rest.slice(at);
  }
  if (rest.trim() !== '') yield rest;
}
