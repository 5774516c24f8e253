import type { AgentFields } from '../../../../conversation/agents/index.ts';
import type { CallConfiguration, CallLine } from '../../../../conversation/calls/index.ts';
import type { EndReason, ToolInvocation } from '../../../../conversation/session/index.ts';
import type { Clock } from '../../../../foundation/platform/clock.ts';
import type { ErrorCode } from '../../../../foundation/platform/errors.ts';
import { TokenBucket } from '../../../../foundation/platform/token-bucket.ts';
import type { omni } from '../../../../media/wire/index.ts';
import { filled } from '../../../../telephony/dialling/index.ts';
import { printableFieldName, type Socket, type SocketHandler } from '../../../server/surface.ts';
import type { AdmittedCall, GatewayCall } from '../openai/contract.ts';

type Message = Readonly<Record<string, unknown>>;

const RATE = 16_000;
const FORMAT = `pcm_${RATE}` as const;
const INITIATION_WITHIN_MS = 10_000;
const FRAMES = { capacity: 1_000, refillPerSecond: 500 };
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;
const LANGUAGES = ['en', 'fr', 'es', 'de', 'hi'] as const;
const SILENT = new Set([
  'pong',
  'user_activity',
  'feedback',
  'mcp_tool_approval_result',
  'multimodal_message',
]);

const CLOSES: Partial<Record<EndReason, number>> = {
  brain_unavailable: 1011,
  engine_failed: 1011,
  credential_revoked: 4401,
  forbidden: 4403,
  cap_reached: 4429,
  protocol_violation: 1008,
  draining: 1001,
};

type Own = Pick<AgentFields, 'persona' | 'greeting'>;

export class ElevenLabsConversation implements SocketHandler, CallLine {
  readonly #admitted: AdmittedCall;
  readonly #socket: Socket;
  readonly #own: Own;
  readonly #frames: TokenBucket;
  readonly #stopWaiting: () => void;
  #call: GatewayCall | null = null;
  #isLive = false;
  #isTextOnly = false;
  /** Counts the turns of both parties: at an interruption, the client discards the audio of events up to its id. */
  #event = 0;
  #said = { turnId: -1, text: '' };
  /** The call reports typed text as the caller's speech, so it is remembered here. */
  #typed: string[] = [];
  #over = false;

  constructor(clock: Clock, admitted: AdmittedCall, socket: Socket, own: Own) {
    this.#admitted = admitted;
    this.#socket = socket;
    this.#own = own;
    this.#frames = new TokenBucket(clock, FRAMES);
    this.#stopWaiting = clock.after(INITIATION_WITHIN_MS, () => this.#begin({}));
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (this.#over) return;
    if (!this.#frames.take()) {
      this.sendError('rate_limit_exceeded', 'Messages come too fast.', null);
      this.#end('protocol_violation');
      return;
    }
    const message = isBinary ? null : parsed(data);
    if (message === null)
      this.sendError('invalid_request', 'A message is a JSON object in a text frame.', null);
    else this.#take(message);
  }

  onClosing(code: number): void {
    this.#call?.closing(code);
  }

  onClosed(): void {
    this.#over = true;
    this.#stopWaiting();
    if (this.#call === null) this.#admitted.abandon();
    else this.#call.closed();
  }

  acknowledge({ warnings }: CallConfiguration): void {
    for (const { code, message, param } of warnings) this.sendError(code, message, param);
    if (this.#isLive) return;
    this.#isLive = true;
    this.#send('conversation_initiation_metadata', {
      conversation_initiation_metadata_event: {
        conversation_id: this.#admitted.callId,
        agent_output_audio_format: FORMAT,
        user_input_audio_format: FORMAT,
      },
    });
  }

  sendError(code: ErrorCode, message: string, param: string | null): void {
    const about = param === null ? {} : { details: { param } };
    this.#send('error', { error_event: { error_type: code, message, ...about } });
  }

  audio(pcm: Uint8Array): void {
    if (this.#isTextOnly) return;
    const audio_base_64 = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64');
    this.#send('audio', { audio_event: { audio_base_64, event_id: this.#event } });
  }

  transcript({ role, turnId, text, final }: Parameters<CallLine['transcript']>[0]): void {
    if (role === 'agent') this.#agentSays(turnId, text, final);
    else if (final) this.#callerSaid(text);
    else
      this.#send('tentative_user_transcript', {
        tentative_user_transcription_event: { user_transcript: text, event_id: this.#event },
      });
  }

  bargeIn(): void {
    this.#send('interruption', { interruption_event: { event_id: this.#event } });
    this.#event += 1;
  }

  toolCall({ callId, name, arguments: parameters }: ToolInvocation): void {
    this.#send('client_tool_call', {
      client_tool_call: { tool_name: name, tool_call_id: callId, parameters, event_id: this.#event },
    });
  }

  speech(): void {
    // ElevenLabs' clients infer speech from the transcripts.
  }

  turn(): void {
    // ElevenLabs' protocol has no message for the latency of a response.
  }

  turnOver(): void {
    // The final transcript already reported it.
  }

  captured(): void {
    // The call record reports captured values.
  }

  captureFailed(): void {
    // The call record reports failed captures.
  }

  sendKeys(): void {
    // A web page cannot send DTMF.
  }

  transfer(): void {
    // A page's call has no transfer, so it ends.
  }

  ended(reason: EndReason): void {
    this.#over = true;
    this.#socket.close(CLOSES[reason] ?? 1000, reason);
  }

  failed(code: ErrorCode | null, status: number | null): void {
    this.#over = true;
    const close = status === 503 ? 1013 : status !== null && status < 500 ? 1008 : 1011;
    this.#socket.close(close, code ?? 'engine_failed');
  }

  #take(message: Message): void {
    if (message.type === undefined && message.user_audio_chunk !== undefined) {
      this.#hear(message.user_audio_chunk);
      return;
    }
    switch (message.type) {
      case 'conversation_initiation_client_data':
        if (this.#call === null) this.#begin(message);
        return;
      case 'user_message':
        this.#type(message.text);
        return;
      case 'contextual_update':
        if (typeof message.text === 'string') this.#call?.controls?.injectContext(message.text);
        return;
      case 'client_tool_result':
        this.#settle(message);
        return;
      default:
        if (SILENT.has(String(message.type))) return;
        this.sendError(
          'invalid_request',
          `type ${printableFieldName(String(message.type))} is not served.`,
          'type',
        );
    }
  }

  #begin(initiation: Message): void {
    this.#stopWaiting();
    if (this.#call !== null || this.#over) return;
    const { conversation } = fieldsOf(initiation.conversation_config_override);
    this.#isTextOnly = fieldsOf(conversation).text_only === true;
    this.#call = this.#admitted.begin({ rate: RATE }, this);
    this.#call.configure(configurationOf(initiation, this.#own));
  }

  #hear(sound: unknown): void {
    if (typeof sound !== 'string' || !BASE64.test(sound)) {
      this.sendError('invalid_request', 'user_audio_chunk is sound in base64.', 'user_audio_chunk');
      return;
    }
    const bytes = Buffer.from(sound, 'base64');
    const pcm = bytes.subarray(0, bytes.length & ~1);
    if (!this.#isLive || pcm.length === 0 || this.#call?.heard(pcm) !== false) return;
    this.sendError(
      'rate_limit_exceeded',
      'Sound comes faster than real time, and two minutes of it wait.',
      null,
    );
    this.#end('protocol_violation');
  }

  #type(text: unknown): void {
    if (typeof text !== 'string' || text.trim() === '' || !this.#isLive) return;
    this.#typed.push(text);
    this.#call?.controls?.typedTurn(text);
  }

  #settle({ tool_call_id: id, result, is_error }: Message): void {
    const answer = is_error === true ? { error: String(result ?? 'failed') } : { result: jsonOr(result) };
    if (this.#call?.controls?.settleToolCall(String(id), answer) === true) return;
    this.sendError('invalid_request', 'No call of a tool with this id waits for a result.', 'tool_call_id');
  }

  #callerSaid(user_transcript: string): void {
    this.#event += 1;
    // The client already shows typed text itself.
    if (this.#typed[0] === user_transcript) this.#typed.shift();
    else
      this.#send('user_transcript', {
        user_transcription_event: { user_transcript, event_id: this.#event },
      });
  }

  /**
   * Sends the parts of a turn as they play, and the whole turn at its end; for an interrupted turn, the part that was
   * played.
   */
  #agentSays(turnId: number, text: string, isOver: boolean): void {
    const isNew = this.#said.turnId !== turnId;
    if (isNew) {
      this.#event += 1;
      this.#part('start', '');
    }
    const before = isNew ? '' : this.#said.text;
    this.#said = { turnId, text };
    if (text.length > before.length && text.startsWith(before))
      this.#part('delta', text.slice(before.length));
    if (!isOver) return;
    this.#part('stop', '');
    this.#said = { turnId: -1, text: '' };
    if (text !== '')
      this.#send('agent_response', {
        agent_response_event: { agent_response: text, event_id: this.#event },
      });
  }

  #part(type: 'start' | 'delta' | 'stop', text: string): void {
    this.#send('agent_chat_response_part', { text_response_part: { text, type, event_id: this.#event } });
  }

  #end(reason: EndReason): void {
    if (this.#call === null) this.ended(reason);
    else this.#call.end(reason);
  }

  #send(type: string, more: object): void {
    if (!this.#over) this.#socket.send(JSON.stringify({ type, ...more }));
  }
}

const fieldsOf = (value: unknown): Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : {};
const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

function configurationOf(initiation: Message, own: Own): omni.Configuration {
  const { agent, tts } = fieldsOf(initiation.conversation_config_override);
  const { prompt, first_message: first, language } = fieldsOf(agent);
  const variables = Object.fromEntries(
    Object.entries(fieldsOf(initiation.dynamic_variables)).map(([name, value]) => [name, String(value)]),
  );
  const persona = textOr(fieldsOf(prompt).prompt, own.persona ?? '');
  const greeting = textOr(first, own.greeting ?? '');
  const { voice_id: voice } = fieldsOf(tts);
  const known = LANGUAGES.find((one) => one === language);
  return {
    type: 'configure',
    persona: filled(persona, variables).slice(0, MOST.persona),
    greeting: filled(greeting, variables).slice(0, MOST.greeting),
    ...(typeof voice === 'string' ? { voice_id: voice } : {}),
    ...(known === undefined ? {} : { language: known }),
    meta: {
      ...variables,
      ...(typeof initiation.user_id === 'string'
        ? { external_id: initiation.user_id.slice(0, MOST.id) }
        : {}),
    },
  };
}

/** The limits are those of Omni's `configure`. */
const MOST = { persona: 16_000, greeting: 1000, id: 256 };

const decoder = new TextDecoder();

function parsed(data: Uint8Array): Message | null {
  try {
    const value: unknown = JSON.parse(decoder.decode(data));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : null;
  } catch {
    return null;
  }
}

function jsonOr(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
