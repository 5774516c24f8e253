import { type EventSink, newThing } from './events.ts';

export interface Item {
  readonly id: string;
  readonly object: 'realtime.item';
  readonly type: 'message' | 'function_call' | 'function_call_output';
  readonly status?: 'in_progress' | 'completed' | 'incomplete';
  readonly [field: string]: unknown;
}

export type Ending =
  | { readonly status: 'completed' }
  | { readonly status: 'cancelled'; readonly reason: 'turn_detected' | 'client_cancelled' }
  | { readonly status: 'failed'; readonly code: string; readonly message: string };

export interface ResponseDeps {
  readonly events: EventSink;
  readonly textOnly: boolean;
  readonly conversationId: string;
  readonly metadata: unknown;
  readonly remember: (item: Item) => string | null;
  readonly replace: (item: Item) => void;
  readonly sound: { readonly format: object; readonly voice: string };
}

const NO_USAGE = {
  total_tokens: 0,
  input_tokens: 0,
  output_tokens: 0,
  input_token_details: { cached_tokens: 0, text_tokens: 0, audio_tokens: 0 },
  output_token_details: { text_tokens: 0, audio_tokens: 0 },
};

export class OpenResponse {
  readonly id = newThing('resp');
  readonly #deps: ResponseDeps;
  readonly #output: Item[] = [];
  #message: { readonly id: string; readonly index: number; text: string } | null = null;
  #isPlaying = false;
  #over = false;

  constructor(deps: ResponseDeps) {
    this.#deps = deps;
    deps.events.emit('response.created', { response: this.#shown('in_progress') });
    deps.events.emit('rate_limits.updated', { rate_limits: [] });
  }

  get sounds(): boolean {
    return this.#message !== null;
  }

  audio(base64: string): void {
    if (this.#over || this.#deps.textOnly) return;
    this.#delta('response.output_audio.delta', base64);
  }

  /** Reports audio that is sent by a track; false means that this response has none. */
  plays(): boolean {
    if (this.#over || this.#deps.textOnly) return false;
    this.#open();
    if (!this.#isPlaying) this.#deps.events.emit('output_audio_buffer.started', { response_id: this.id });
    this.#isPlaying = true;
    return true;
  }

  text(said: string): void {
    const { textOnly } = this.#deps;
    const delta = (this.#message?.text ?? '') === '' ? said.trimStart() : said;
    if (this.#over || delta === '') return;
    this.#delta(textOnly ? 'response.output_text.delta' : 'response.output_audio_transcript.delta', delta);
    if (this.#message !== null) this.#message.text += delta;
  }

  call(callId: string, name: string, args: string): void {
    if (this.#over) return;
    this.#closeMessage('completed');
    const { events, remember, replace } = this.#deps;
    const index = this.#output.length;
    const begun = {
      id: newThing('item'),
      object: 'realtime.item',
      type: 'function_call',
      status: 'in_progress',
      call_id: callId,
      name,
      arguments: '',
    } as const;
    const of = { response_id: this.id, output_index: index };
    events.emit('response.output_item.added', { ...of, item: begun });
    events.emit('conversation.item.added', { previous_item_id: remember(begun), item: begun });
    const at = { ...of, item_id: begun.id, call_id: callId };
    events.emit('response.function_call_arguments.delta', { ...at, delta: args });
    events.emit('response.function_call_arguments.done', { ...at, name, arguments: args });
    const item = { ...begun, status: 'completed', arguments: args } as const;
    replace(item);
    this.#output.push(item);
    events.emit('response.output_item.done', { ...of, item });
    events.emit('conversation.item.done', { previous_item_id: null, item });
  }

  finish(ending: Ending): void {
    if (this.#over) return;
    this.#closeMessage(ending.status === 'completed' ? 'completed' : 'incomplete');
    this.#over = true;
    const { events } = this.#deps;
    events.emit('response.done', { response: this.#shown(ending.status, detailsOf(ending)) });
    if (!this.#isPlaying) return;
    const end = ending.status === 'completed' ? 'stopped' : 'cleared';
    events.emit(`output_audio_buffer.${end}`, { response_id: this.id });
  }

  #delta(type: string, delta: string): void {
    const { id, index } = this.#open();
    this.#deps.events.emit(type, {
      response_id: this.id,
      item_id: id,
      output_index: index,
      content_index: 0,
      delta,
    });
  }

  #open(): { readonly id: string; readonly index: number } {
    if (this.#message !== null) return this.#message;
    const { events, remember } = this.#deps;
    const message = { id: newThing('item'), index: this.#output.length, text: '' };
    this.#message = message;
    const item = { ...this.#item(message.id, 'in_progress'), content: [] };
    const of = { response_id: this.id, output_index: message.index };
    events.emit('response.output_item.added', { ...of, item });
    events.emit('conversation.item.added', { previous_item_id: remember(item), item });
    events.emit('response.content_part.added', {
      ...of,
      item_id: message.id,
      content_index: 0,
      part: this.#part(''),
    });
    return message;
  }

  #closeMessage(status: 'completed' | 'incomplete'): void {
    const message = this.#message;
    if (message === null) return;
    this.#message = null;
    const { events, textOnly, replace } = this.#deps;
    const at = {
      response_id: this.id,
      item_id: message.id,
      output_index: message.index,
      content_index: 0,
    };
    if (textOnly) events.emit('response.output_text.done', { ...at, text: message.text });
    else {
      events.emit('response.output_audio.done', at);
      events.emit('response.output_audio_transcript.done', { ...at, transcript: message.text });
    }
    events.emit('response.content_part.done', { ...at, part: this.#part(message.text) });
    const item = { ...this.#item(message.id, status), content: [this.#content(message.text)] };
    replace(item);
    this.#output.push(item);
    const of = { response_id: this.id, output_index: message.index };
    events.emit('response.output_item.done', { ...of, item });
    events.emit('conversation.item.done', { previous_item_id: null, item });
  }

  #item(id: string, status: 'in_progress' | 'completed' | 'incomplete') {
    return { id, object: 'realtime.item', type: 'message', status, role: 'assistant' } as const;
  }

  #part = (text: string): object =>
    this.#deps.textOnly ? { type: 'text', text } : { type: 'audio', transcript: text };

  #content(text: string): object {
    const older = this.#deps.events.dialect === 'beta';
    if (this.#deps.textOnly) return { type: older ? 'text' : 'output_text', text };
    return { type: older ? 'audio' : 'output_audio', transcript: text };
  }

  #shown(status: string, details: object | null = null): object {
    const { textOnly, conversationId, metadata, sound, events } = this.#deps;
    const modalities = [textOnly ? 'text' : 'audio'];
    return {
      object: 'realtime.response',
      id: this.id,
      status,
      status_details: details,
      output: this.#output,
      conversation_id: conversationId,
      ...(events.dialect === 'beta'
        ? { modalities: textOnly ? ['text'] : ['text', 'audio'], voice: sound.voice }
        : { output_modalities: modalities, audio: { output: sound } }),
      max_output_tokens: 'inf',
      usage: status === 'in_progress' ? null : NO_USAGE,
      metadata: metadata ?? null,
    };
  }
}

function detailsOf(ending: Ending): object | null {
  switch (ending.status) {
    case 'completed':
      return null;
    case 'cancelled':
      return { type: 'cancelled', reason: ending.reason };
    case 'failed':
      return { type: 'failed', error: { type: 'server_error', code: ending.code, message: ending.message } };
  }
}
