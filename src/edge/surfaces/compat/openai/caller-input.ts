import { type EventSink, newThing } from './events.ts';
import type { Items } from './items.ts';

/** The limit is five minutes of PCM16 at 24 kHz. */
const MOST_BYTES = 5 * 60 * 48_000;

interface Speech {
  readonly itemId: string;
  readonly startMs: number;
  endMs: number | null;
  isReported: boolean;
  isEndReported: boolean;
}

export class RealtimeCallerInput {
  readonly #events: EventSink;
  readonly #items: Items;
  #speech: Speech | null = null;
  #spokeSeconds = 0;
  #buffered: Buffer[] = [];
  #bufferedBytes = 0;

  constructor(events: EventSink, items: Items) {
    this.#events = events;
    this.#items = items;
  }

  started(atMs: number, reported: boolean): void {
    if (this.#speech?.isReported === true && !this.#speech.isEndReported) return;
    this.#speech = {
      itemId: newThing('item'),
      startMs: atMs,
      endMs: null,
      isReported: false,
      isEndReported: false,
    };
    if (reported) this.notifyStarted();
  }

  notifyStarted(): void {
    const speech = this.#speech;
    if (speech === null || speech.isReported) return;
    speech.isReported = true;
    const audio_start_ms = milliseconds(speech.startMs);
    this.#events.emit('input_audio_buffer.speech_started', { audio_start_ms, item_id: speech.itemId });
    if (speech.endMs !== null) this.#notifyStopped(speech, speech.endMs);
  }

  stopped(atMs: number): void {
    const speech = this.#speech;
    if (speech === null) return;
    speech.endMs = atMs;
    if (speech.isReported) this.#notifyStopped(speech, atMs);
  }

  #notifyStopped(speech: Speech, atMs: number): void {
    if (speech.isEndReported) return;
    speech.isEndReported = true;
    const audio_end_ms = milliseconds(atMs);
    this.#events.emit('input_audio_buffer.speech_stopped', { audio_end_ms, item_id: speech.itemId });
  }

  keep(pcm: Buffer): boolean {
    if (this.#bufferedBytes + pcm.length > MOST_BYTES) return false;
    this.#buffered.push(pcm);
    this.#bufferedBytes += pcm.length;
    return true;
  }

  /** Keeps audio that never pauses: the oldest gives way once the buffer is full. */
  keepLatest(pcm: Buffer): void {
    while (!this.keep(pcm)) this.#bufferedBytes -= this.#buffered.shift()?.length ?? 0;
  }

  take(): Buffer | null {
    const pcm = this.#bufferedBytes === 0 ? null : Buffer.concat(this.#buffered);
    this.clear();
    return pcm;
  }

  clear(): void {
    this.#buffered = [];
    this.#bufferedBytes = 0;
  }

  /** Forgets what the caller has begun to say. */
  drop(): void {
    this.#speech = null;
  }

  commit(text: string): string {
    const speech = this.#speech;
    this.#speech = null;
    if (speech !== null) {
      this.#speech = speech;
      this.notifyStarted();
      const endMs = speech.endMs ?? speech.startMs;
      this.#notifyStopped(speech, endMs);
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

  heard(itemId: string, transcript: string, reported: boolean, seconds = this.#spokeSeconds): void {
    const item = this.#items.find(itemId);
    if (item !== null) this.#items.replace({ ...item, content: [{ type: 'input_audio', transcript }] });
    if (!reported) return;
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
