import { AGENT_LANGUAGES, type AgentFields } from '../../../../conversation/agents/index.ts';
import type { CallConfiguration, CallTransport } from '../../../../conversation/calls/index.ts';
import type { ToolInvocation } from '../../../../conversation/session/index.ts';
import type { Clock } from '../../../../foundation/platform/clock.ts';
import type { ErrorCode } from '../../../../foundation/platform/errors.ts';
import type { omni } from '../../../../media/wire/index.ts';
import { filled, MOST_FILLED, variablesOf } from '../../../../telephony/dialling/index.ts';
import { printableFieldName, type Socket } from '../../../server/surface.ts';
import { type Fields, fieldsOf, jsonOr, NO_EVENT, readClientMessage } from '../client-message.ts';
import type { AdmittedCall } from '../openai/contract.ts';
import { MOST_CONTEXT, MOST_TYPED, VendorConversation } from '../vendor-conversation.ts';

const RATE = 16_000;
const FORMAT = `pcm_${RATE}` as const;
const INITIATION_WITHIN_MS = 10_000;
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;
const SILENT = new Set([
  'pong',
  'user_activity',
  'feedback',
  'mcp_tool_approval_result',
  'multimodal_message',
]);

type Own = Pick<AgentFields, 'persona' | 'greeting'>;

export class ElevenLabsConversation extends VendorConversation {
  readonly #own: Own;
  #isLive = false;
  #isTextOnly = false;
  /** Counts the turns of both parties: at an interruption, the client discards the audio of events up to its id. */
  #event = 0;
  #said = { turnId: -1, text: '' };
  /** The call reports typed text as the caller's speech, so it is remembered here. */
  #typed: string[] = [];

  constructor(clock: Clock, admitted: AdmittedCall, socket: Socket, own: Own) {
    super(clock, socket, admitted, INITIATION_WITHIN_MS, () => this.#initiate({}));
    this.#own = own;
  }

  protected onFrame(data: Uint8Array, isBinary: boolean): void {
    const message = isBinary ? null : readClientMessage(data);
    if (message === null) this.sendError('invalid_request', NO_EVENT, null);
    else this.#take(message);
  }

  acknowledge({ warnings }: CallConfiguration): void {
    for (const { code, message, param } of warnings) this.sendError(code, message, param);
    if (this.#isLive) return;
    this.#isLive = true;
    this.#send('conversation_initiation_metadata', {
      conversation_initiation_metadata_event: {
        conversation_id: this.admitted?.callId,
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

  transcript({ role, turnId, text, final }: Parameters<CallTransport['transcript']>[0]): void {
    if (role === 'agent') this.#agentSays(turnId, text, final);
    else if (final) this.#callerSaid(text);
    else
      this.#send('tentative_user_transcript', {
        tentative_user_transcription_event: { user_transcript: text, event_id: this.#event },
      });
  }

  override bargeIn(): void {
    this.#send('interruption', { interruption_event: { event_id: this.#event } });
    this.#event += 1;
  }

  toolCall({ callId, name, arguments: parameters }: ToolInvocation): void {
    this.#send('client_tool_call', {
      client_tool_call: { tool_name: name, tool_call_id: callId, parameters, event_id: this.#event },
    });
  }

  #take(message: Fields): void {
    if (message.type === undefined && message.user_audio_chunk !== undefined) {
      this.#hear(message.user_audio_chunk);
      return;
    }
    switch (message.type) {
      case 'conversation_initiation_client_data':
        this.#initiate(message);
        return;
      case 'user_message':
        if (this.#isText(message, MOST_TYPED)) this.#type(message.text);
        return;
      case 'contextual_update':
        if (this.#isText(message, MOST_CONTEXT)) this.call?.controls?.injectContext(message.text);
        return;
      case 'client_tool_result':
        this.#settle(message);
        return;
      default:
        if (SILENT.has(String(message.type))) return;
        this.sendError(
          'invalid_request',
          `The message type ${printableFieldName(String(message.type))} is not supported.`,
          'type',
        );
    }
  }

  #initiate(initiation: Fields): void {
    if (this.call !== null || this.isOver) return;
    const { conversation } = fieldsOf(initiation.conversation_config_override);
    this.#isTextOnly = fieldsOf(conversation).text_only === true;
    this.begin({ rate: RATE }, configurationOf(initiation, this.#own));
  }

  #hear(sound: unknown): void {
    if (typeof sound !== 'string' || !BASE64.test(sound)) {
      this.sendError('invalid_request', 'user_audio_chunk must be Base64-encoded audio.', 'user_audio_chunk');
      return;
    }
    const bytes = Buffer.from(sound, 'base64');
    const pcm = bytes.subarray(0, bytes.length & ~1);
    if (this.#isLive && pcm.length > 0) this.forward(pcm);
  }

  #isText(message: Fields, most: number): message is Fields & { readonly text: string } {
    const { type, text } = message;
    if (typeof text === 'string' && text.length <= most) return true;
    this.sendError(
      'invalid_request',
      `The text of ${type} must be a string of at most ${most} characters.`,
      'text',
    );
    return false;
  }

  #type(text: string): void {
    if (text.trim() === '' || !this.#isLive) return;
    this.#typed.push(text);
    this.call?.controls?.typedTurn(text);
  }

  #settle({ tool_call_id: id, result, is_error }: Fields): void {
    const answer = is_error === true ? { error: String(result ?? 'failed') } : { result: jsonOr(result) };
    if (this.settleToolCall(id, answer)) return;
    this.sendError('invalid_request', 'No tool call with this ID is waiting for a result.', 'tool_call_id');
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

  #send(type: string, more: object): void {
    if (!this.isOver) this.socket.send(JSON.stringify({ type, ...more }));
  }
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

function configurationOf(initiation: Fields, own: Own): omni.Configuration {
  const { agent, tts } = fieldsOf(initiation.conversation_config_override);
  const { prompt, first_message: first, language } = fieldsOf(agent);
  const variables = variablesOf(fieldsOf(initiation.dynamic_variables));
  const persona = textOr(fieldsOf(prompt).prompt, own.persona ?? '');
  const greeting = textOr(first, own.greeting ?? '');
  const { voice_id: voice } = fieldsOf(tts);
  const known = AGENT_LANGUAGES.find((one) => one === language);
  return {
    type: 'configure',
    persona: filled(persona, variables, MOST_FILLED.persona),
    greeting: filled(greeting, variables, MOST_FILLED.greeting),
    ...(typeof voice === 'string' ? { voice_id: voice } : {}),
    ...(known === undefined ? {} : { language: known }),
    meta: {
      ...variables,
      ...(typeof initiation.user_id === 'string'
        ? { external_id: initiation.user_id.slice(0, MOST_ID) }
        : {}),
    },
  };
}

const MOST_ID = 256;
