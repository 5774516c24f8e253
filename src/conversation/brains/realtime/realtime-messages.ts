import type { BrainMessage, BrainRequest } from '../contract.ts';
import { continuationMessages, conversationMessages, systemPrompt } from '../prompt.ts';

/** Servers refuse a larger event. */
const APPENDED_BYTES = 96 * 1024;

/** OpenAI's `OpenAI-Beta: realtime=v1` asks for the older names of the fields. */
export type RealtimeDialect = 'ga' | 'beta';

export const CALLER_AUDIO_RATE = 24_000;
/** The model's own voice; OpenAI's servers have no other rate of PCM16. */
export const MODEL_VOICE_RATE = 24_000;

interface RealtimeSettings {
  readonly dialect: RealtimeDialect;
  readonly maxTokens: number;
  /** The model answers in this voice of its own; without one, in text. */
  readonly voice?: string | undefined;
}

/** Yields the events of one turn. Each turn has a session of its own, with the played conversation as its items. */
export function* realtimeMessages(
  request: BrainRequest,
  { dialect, maxTokens, voice }: RealtimeSettings,
): Generator<object> {
  const shared = { instructions: systemPrompt(request), tools: toolsOf(request), tool_choice: 'auto' };
  const session =
    dialect === 'beta'
      ? {
          ...shared,
          modalities: voice === undefined ? ['text'] : ['text', 'audio'],
          ...(voice === undefined ? {} : { voice, output_audio_format: 'pcm16' }),
          input_audio_format: 'pcm16',
          turn_detection: null,
          max_response_output_tokens: maxTokens,
        }
      : {
          ...shared,
          type: 'realtime',
          output_modalities: [voice === undefined ? 'text' : 'audio'],
          audio: {
            input: { format: { type: 'audio/pcm', rate: CALLER_AUDIO_RATE }, turn_detection: null },
            ...(voice === undefined
              ? {}
              : { output: { format: { type: 'audio/pcm', rate: MODEL_VOICE_RATE }, voice } }),
          },
          max_output_tokens: maxTokens,
        };
  yield { type: 'session.update', session };
  const messages = conversationMessages(request);
  const spokenAt = messages.findLastIndex(({ role }) => role === 'user');
  for (const [at, message] of messages.entries()) {
    if (at === spokenAt) yield* spoken(message, request);
    else yield* itemsOf(message, dialect);
  }
  for (const message of continuationMessages(request)) yield* itemsOf(message, dialect);
  yield { type: 'response.create' };
}

/** The audio replaces the words that the local recognizer wrote for it. Other input of the turn stays text. */
function* spoken({ content }: BrainMessage, { callerAudio }: BrainRequest): Generator<object> {
  const words = callerAudio === undefined ? content : content.slice(0, -callerAudio.text.length).trim();
  if (words !== '') yield created({ type: 'message', role: 'user', content: [inputText(words)] });
  if (callerAudio === undefined) return;
  const { pcm } = callerAudio;
  for (let from = 0; from < pcm.length; from += APPENDED_BYTES) {
    const part = pcm.subarray(from, from + APPENDED_BYTES);
    const audio = Buffer.from(part.buffer, part.byteOffset, part.length).toString('base64');
    yield { type: 'input_audio_buffer.append', audio };
  }
  yield { type: 'input_audio_buffer.commit' };
}

function* itemsOf(message: BrainMessage, dialect: RealtimeDialect): Generator<object> {
  if (message.role === 'tool') {
    yield created({ type: 'function_call_output', call_id: message.callId, output: message.content });
    return;
  }
  if (message.role === 'user') {
    yield created({ type: 'message', role: 'user', content: [inputText(message.content)] });
    return;
  }
  const type = dialect === 'beta' ? 'text' : 'output_text';
  if (message.content !== '')
    yield created({ type: 'message', role: 'assistant', content: [{ type, text: message.content }] });
  for (const { id, name, arguments: args } of message.toolCalls ?? [])
    yield created({ type: 'function_call', call_id: id, name, arguments: args });
}

const inputText = (text: string) => ({ type: 'input_text', text });
const created = (item: object) => ({ type: 'conversation.item.create', item });

const toolsOf = ({ tools }: BrainRequest) =>
  tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, parameters }));
