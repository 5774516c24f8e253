import type { FedCallLane, LaneSegmentOptions } from '../../../src/conversation/calls/provided-lane.ts';
import type { ProviderError, ProviderSound, SpeechProvider } from '../../../src/speech/providers/index.ts';

export const RATE = 24_000;

export function soundOf(ms: number, amplitude = 8_000): Uint8Array {
  const pcm = Buffer.alloc(Math.round((ms * RATE) / 1000) * 2);
  for (let at = 0; at < pcm.length; at += 2)
    pcm.writeInt16LE(Math.round(amplitude * Math.sin((2 * Math.PI * 440 * at) / 2 / RATE)), at);
  return pcm;
}

export class Request {
  readonly text: string;
  readonly signal: AbortSignal;
  #events: (ProviderSound | { readonly end: ProviderError | null })[] = [];
  #wake: () => void = () => undefined;

  constructor(text: string, signal: AbortSignal) {
    this.text = text;
    this.signal = signal;
    signal.addEventListener('abort', () => this.#wake());
  }

  async sound(pcm: Uint8Array, characters?: number): Promise<void> {
    await this.#push(characters === undefined ? { pcm } : { pcm, characters });
  }

  async end(error: ProviderError | null = null): Promise<void> {
    await this.#push({ end: error });
  }

  async *stream(): AsyncGenerator<ProviderSound> {
    while (!this.signal.aborted) {
      const event = this.#events.shift();
      if (event === undefined)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      else if (!('end' in event)) yield event;
      else if (event.end === null) return;
      else throw event.end;
    }
  }

  async #push(event: ProviderSound | { readonly end: ProviderError | null }): Promise<void> {
    this.#events.push(event);
    this.#wake();
    await settled();
  }
}

/** Resolves once all pending promises have settled. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class ScriptedProvider implements SpeechProvider {
  readonly host = 'voices.example:443';
  readonly region = 'eu';
  readonly rate = RATE;
  readonly firstAudioMs = 800;
  readonly betweenAudioMs = 500;
  readonly microsPerThousandCharacters = 15_000;
  readonly requests: Request[] = [];
  readonly name: string;

  constructor(name = 'default') {
    this.name = name;
  }

  serves(language: string): boolean {
    return language === 'en';
  }

  speak(text: string, _language: string, signal: AbortSignal): AsyncIterable<ProviderSound> {
    const request = new Request(text, signal);
    this.requests.push(request);
    return request.stream();
  }
}

export interface FedSegment {
  readonly text: string;
  readonly options: LaneSegmentOptions;
  fedMs: number;
  /** The lane's own voice speaks this text; it is null while the feed goes on. */
  rest: string | null;
}

export class NotedLane implements FedCallLane {
  readonly usesVoiceUnderLoad = false;
  readonly segments = new Map<string, FedSegment>();
  isFull = false;

  segment(speech: number, segment: number): FedSegment {
    return this.segments.get(`${speech}:${segment}`) as FedSegment;
  }

  push = (): boolean => true;
  speak(speech: number, segment: number, text: string, options: LaneSegmentOptions): void {
    this.segments.set(`${speech}:${segment}`, { text, options, fedMs: 0, rest: null });
  }

  feed(speech: number, segment: number, pcm: Uint8Array): boolean {
    if (this.isFull) return false;
    this.segment(speech, segment).fedMs += (pcm.length / 2 / RATE) * 1000;
    return true;
  }

  endFeed(speech: number, segment: number, fromByte: number | null): boolean {
    if (this.isFull) return false;
    const fed = this.segment(speech, segment);
    fed.rest = fromByte === null ? '' : Buffer.from(fed.text).subarray(fromByte).toString();
    return true;
  }

  finish = (): void => undefined;
  release = (): void => undefined;
  discard = (): void => undefined;
  stopPlayback = (): void => undefined;
  setVoice = (): void => undefined;
  setLanguage = (): void => undefined;
  close = (): void => undefined;
}
