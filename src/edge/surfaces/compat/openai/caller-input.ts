/** The input audio buffer as the client sees it: when the caller speaks, what is committed, what was heard in it. */
import { type EventSink, newThing } from './events.ts';
import type { Items } from './items.ts';

/** Five minutes of PCM16 at 24 kHz. */
const MOST_BYTES = 5 * 60 * 48_000;

interface Speech {
  readonly itemId: string;
  readonly startMs: number;
  endMs: number | null;
  isTold: boolean;
  isEndTold: boolean;
}

export class CallerInput {
  readonly #events: EventSink;
  readonly #items: Items;
  #speech: Speech | null = null;
  #spokeSeconds = 0;
  #kept: Buffer[] = [];
  #keptBytes = 0;

  constructor(events: EventSink, items: Items) {
    this.#events = events;
    this.#items = items;
  }

  /** `told`: the client learns of it at once. */
  started(atMs: number, told: boolean): void {
    if (this.#speech?.isTold === true && !this.#speech.isEndTold) return;
    this.#speech = { itemId: newThing('item'), startMs: atMs, endMs: null, isTold: false, isEndTold: false };
    if (told) this.tellStarted();
  }

  tellStarted(): void {
    const speech = this.#speech;
    if (speech === null || speech.isTold) return;
    speech.isTold = true;
    const audio_start_ms = milliseconds(speech.startMs);
    this.#events.emit('input_audio_buffer.speech_started', { audio_start_ms, item_id: speech.itemId });
    if (speech.endMs !== null) this.#tellStopped(speech, speech.endMs);
  }

  stopped(atMs: number): void {
    const speech = this.#speech;
    if (speech === null) return;
    speech.endMs = atMs;
    if (speech.isTold) this.#tellStopped(speech, atMs);
  }

  #tellStopped(speech: Speech, atMs: number): void {
    if (speech.isEndTold) return;
    speech.isEndTold = true;
    const audio_end_ms = milliseconds(atMs);
    this.#events.emit('input_audio_buffer.speech_stopped', { audio_end_ms, item_id: speech.itemId });
  }

  /** Of a client that ends turns itself. False: the buffer is full. */
  keep(pcm: Buffer): boolean {
    if (this.#keptBytes + pcm.length > MOST_BYTES) return false;
    this.#kept.push(pcm);
    this.#keptBytes += pcm.length;
    return true;
  }

  /** What was kept; null: nothing. */
  take(): Buffer | null {
    const pcm = this.#keptBytes === 0 ? null : Buffer.concat(this.#kept);
    this.clear();
    return pcm;
  }

  clear(): void {
    this.#kept = [];
    this.#keptBytes = 0;
  }

  /** The caller's turn is an item now: its id. */
  commit(text: string): string {
    const speech = this.#speech;
    this.#speech = null;
    if (speech !== null) {
      this.#speech = speech;
      this.tellStarted();
      const endMs = speech.endMs ?? speech.startMs;
      this.#tellStopped(speech, endMs);
      this.#spokeSeconds = Math.max(0, endMs - speech.startMs) / 1000;
      this.#speech = null;
    }
    const id = speech?.itemId ?? newThing('item');
    const item = {
      id,
      object: 'realtime.item',
      type: 'message',
      status: 'completed',
      role: 'user',
      content: [{ type: 'input_audio', transcript: text === '' ? null : text }],
    } as const;
    const previous = this.#items.add(item);
    this.#events.emit('input_audio_buffer.committed', { previous_item_id: previous, item_id: id });
    this.#events.emit('conversation.item.added', { previous_item_id: previous, item });
    this.#events.emit('conversation.item.done', { previous_item_id: previous, item });
    return id;
  }

  /** `told`: the client asked for transcripts. */
  heard(itemId: string, transcript: string, told: boolean, seconds = this.#spokeSeconds): void {
    const item = this.#items.find(itemId);
    if (item !== null) this.#items.replace({ ...item, content: [{ type: 'input_audio', transcript }] });
    if (!told) return;
    const at = { item_id: itemId, content_index: 0 };
    const type = 'conversation.item.input_audio_transcription';
    this.#events.emit(`${type}.delta`, { ...at, delta: transcript });
    const usage = { type: 'duration', seconds };
    this.#events.emit(`${type}.completed`, { ...at, transcript, usage });
  }

  unheard(itemId: string, message: string): void {
    this.#events.emit('conversation.item.input_audio_transcription.failed', {
      item_id: itemId,
      content_index: 0,
      error: { type: 'server_error', code: 'recognition_failed', message, param: null },
    });
  }
}

const milliseconds = (atMs: number): number => Math.max(0, Math.round(atMs));
