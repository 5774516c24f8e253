import type { ProfileSource } from '../../../../conversation/agents/index.ts';
import type { CallConfiguration, CallTransport } from '../../../../conversation/calls/index.ts';
import type { ToolInvocation, TurnLatency } from '../../../../conversation/session/index.ts';
import type { Principal } from '../../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../../foundation/access/index.ts';
import type { Clock } from '../../../../foundation/platform/clock.ts';
import { ApiError, type ErrorCode } from '../../../../foundation/platform/errors.ts';
import { printableValue } from '../../../../foundation/platform/printable.ts';
import { decodingPriorityOf } from '../../../../media/codec/index.ts';
import { convertAudio } from '../../../../media/engine/index.ts';
import { printableFieldName, type Socket } from '../../../server/surface.ts';
import { type Fields, fieldsOf, jsonOr, readClientMessage } from '../client-message.ts';
import { closeCodeOf } from '../close-codes.ts';
import type { CallGateway, GatewayCall } from '../openai/contract.ts';
import { MOST_TYPED, NEVER_IDLE, VendorConversation } from '../vendor-conversation.ts';
import {
  type AgentAudio,
  AgentSettingsError,
  audioOf,
  configurationOf,
  profileOf,
  type VoiceDefaults,
} from './agent-settings.ts';
import { type LiveDecoder, LiveInput } from './live-input.ts';
import { WIRE_FORMATS } from './live-sound.ts';

export interface AgentSessionDeps {
  readonly clock: Clock;
  readonly gateway: CallGateway;
  readonly decoder: LiveDecoder;
  readonly voices: VoiceDefaults;
  readonly profiles: ProfileSource;
}

const SETTINGS_WITHIN_MS = 10_000;
const MOST = { say: 1000 };

export class DeepgramAgentSession extends VendorConversation {
  readonly #deps: AgentSessionDeps;
  readonly #principal: Principal;
  #isSet = false;
  #input: LiveInput | null = null;
  #audio: AgentAudio = audioOf({});
  /** The client waits for these confirmations, in order. */
  #pending: string[] = [];
  #history = '';
  #isLive = false;
  #latency: TurnLatency | null = null;
  #speaking: number | null = null;

  constructor(deps: AgentSessionDeps, principal: Principal, socket: Socket) {
    super(deps.clock, socket, null, SETTINGS_WITHIN_MS, () =>
      this.#fail('CLIENT_MESSAGE_TIMEOUT', 'No Settings message was received within 10 s.', 1008),
    );
    this.#deps = deps;
    this.#principal = principal;
    this.#send('Welcome', { request_id: socket.requestId });
  }

  protected onFrame(data: Uint8Array, isBinary: boolean): void {
    // A client may send audio before its settings are applied.
    if (isBinary) {
      if (this.#isLive) this.#input?.take(data);
      return;
    }
    try {
      this.#take(readClientMessage(data) ?? {});
    } catch (error) {
      if (!(error instanceof AgentSettingsError)) throw error;
      if (this.#isSet) this.#send('Error', { code: 'INVALID_SETTINGS', description: error.message });
      else this.#fail('INVALID_SETTINGS', error.message, 1008);
    }
  }

  override onClosed(): void {
    this.#input?.stop();
    super.onClosed();
  }

  acknowledge({ warnings }: CallConfiguration): void {
    for (const { code, message } of warnings) this.#send('Warning', { code, description: message });
    for (const type of this.#pending.splice(0)) this.#send(type, {});
    if (this.#isLive) return;
    this.#isLive = true;
    if (this.#history !== '') this.call?.controls?.injectContext(this.#history);
  }

  sendError(code: string, message: string): void {
    this.#send('Error', { code, description: message });
  }

  audio(pcm: Uint8Array): void {
    if (!this.isOver) this.socket.send(convertAudio('pcm16', pcm, WIRE_FORMATS[this.#audio.output.encoding]));
  }

  transcript({ role, turnId, text, final }: Parameters<CallTransport['transcript']>[0]): void {
    if (role === 'agent') this.#startSpeaking(turnId);
    if (final && text !== '')
      this.#send('ConversationText', { role: role === 'agent' ? 'assistant' : 'user', content: text });
  }

  override bargeIn(): void {
    this.#send('UserStartedSpeaking', {});
  }

  override speech(kind: 'started' | 'stopped'): void {
    // Speech over the agent may be a backchannel: the client is notified by `bargeIn`, once the agent yields.
    if (kind === 'started' && this.#speaking === null) this.#send('UserStartedSpeaking', {});
  }

  override turn(_turnId: number, latency: TurnLatency): void {
    this.#latency = latency;
  }

  override turnOver(): void {
    if (this.#speaking === null) return;
    this.#speaking = null;
    this.#send('AgentAudioDone', {});
  }

  toolCall({ callId, name, arguments: args }: ToolInvocation): void {
    this.#send('FunctionCallRequest', {
      functions: [{ id: callId, name, arguments: JSON.stringify(args), client_side: true }],
    });
  }

  override failed(code: ErrorCode | null, status: number | null): void {
    this.sendError(code ?? 'engine_failed', 'The conversation could not start.');
    super.failed(code, status);
  }

  #take(message: Fields): void {
    switch (message.type) {
      case 'Settings':
        this.#set(message);
        return;
      case 'UpdatePrompt':
        this.#update({ think: { prompt: message.prompt } }, 'PromptUpdated');
        return;
      case 'UpdateThink':
        this.#update({ think: message.think }, 'ThinkUpdated');
        return;
      case 'UpdateSpeak':
        this.#update({ speak: message.speak }, 'SpeakUpdated');
        return;
      case 'UpdateListen':
        this.#update({ listen: message.listen }, 'ListenUpdated');
        return;
      case 'InjectUserMessage':
        this.#typed(message.content);
        return;
      case 'InjectAgentMessage':
        this.#say(message);
        return;
      case 'FunctionCallResponse':
        this.#settle(message);
        return;
      case 'KeepAlive':
        return;
      case 'ForceEndTurn':
        this.#ignore([String(message.type)]);
        return;
      default:
        this.#send('Error', {
          code: 'UNPARSABLE_CLIENT_MESSAGE',
          description: `The message type ${printableFieldName(String(message.type))} is not supported.`,
        });
    }
  }

  #set({ audio, agent }: Fields): void {
    if (this.#isSet)
      throw new AgentSettingsError('Settings can be sent only once; send Update messages to change them.');
    const label = profileOf(agent);
    this.#audio = audioOf(audio);
    const { message, history, ignored } = configurationOf(agent, this.#deps.voices);
    this.#isSet = true;
    this.stopWaiting();
    this.#history = history;
    this.#pending.push('SettingsApplied');
    this.#ignore(ignored);
    const { container = 'none' } = fieldsOf(fieldsOf(audio).output);
    if (container !== 'none') this.#ignore(['audio.output.container']);
    void this.#open(label, message).catch((error: unknown) => this.#refused(error));
  }

  async #open(label: string | null, message: Parameters<GatewayCall['configure']>[0]): Promise<void> {
    await this.#requireProfile(label);
    const admitted = await this.#deps.gateway.admit(this.#principal, label);
    if (this.isOver) {
      admitted.abandon();
      return;
    }
    const { input, output } = this.#audio;
    this.admitted = admitted;
    this.#input = new LiveInput(
      this.#deps.decoder,
      {
        encoding: input.encoding,
        channels: 1,
        sourceRate: input.rate,
        rate: output.rate,
        priority: decodingPriorityOf(this.#principal, 'live'),
      },
      (pcm) => this.forward(Buffer.from(pcm)),
      ({ code, message: why }) => this.#fail(code, why, 1008),
    );
    this.begin({ rate: output.rate, idle: NEVER_IDLE }, message);
  }

  async #requireProfile(agentId: string | null): Promise<void> {
    if (agentId === null) return;
    const scope = tenantScopeOf(this.#principal);
    const profile = await this.#deps.profiles.profileFor(scope, agentId, agentId);
    if (profile === null)
      throw new ApiError('not_found', `There is no agent ${printableValue(agentId)}.`, { param: 'agent' });
  }

  #refused(error: unknown): void {
    const known = error instanceof ApiError ? error : null;
    const description = known?.message ?? 'The conversation could not start.';
    this.#fail(known?.code ?? 'internal_error', description, closeCodeOf(known));
  }

  #update(agent: object, confirmation: string): void {
    if (this.call === null) throw new AgentSettingsError('The first message must be Settings.');
    const { message, ignored } = configurationOf(agent, this.#deps.voices);
    this.#ignore(ignored);
    if (Object.keys(message).length === 1) {
      this.#send(confirmation, {});
      return;
    }
    this.#pending.push(confirmation);
    this.call.configure(message);
  }

  #typed(content: unknown): void {
    if (typeof content !== 'string' || content.trim() === '' || content.length > MOST_TYPED)
      throw new AgentSettingsError(`content must be a string of at most ${MOST_TYPED} characters.`);
    if (this.#isLive) this.call?.controls?.typedTurn(content);
    else this.#refuse('The settings have not been applied yet.');
  }

  #say({ message, behavior = 'default' }: Fields): void {
    if (typeof message !== 'string' || message.trim() === '' || message.length > MOST.say)
      throw new AgentSettingsError(`message must be a string of at most ${MOST.say} characters.`);
    const controls = this.#isLive ? this.call?.controls : null;
    if (controls == null) this.#refuse('The settings have not been applied yet.');
    else if (behavior === 'default' && this.#speaking !== null) this.#refuse('The agent is speaking.');
    else if (!controls.say(message, behavior === 'interrupt'))
      this.#refuse('The maximum amount of text is already queued to be spoken.');
  }

  #refuse(message: string): void {
    this.#send('InjectionRefused', { message });
  }

  #settle({ id, content }: Fields): void {
    const answer = { result: jsonOr(content) };
    if (this.settleToolCall(id, answer)) return;
    this.#send('Error', {
      code: 'INVALID_FUNCTION_CALL_ID',
      description: 'No function call with this ID is waiting for a response.',
    });
  }

  #ignore(names: readonly string[]): void {
    for (const name of names)
      this.#send('Warning', {
        code: 'UNSUPPORTED_PARAMETER',
        description: `${name} has no effect on this server.`,
      });
  }

  #startSpeaking(turnId: number): void {
    if (this.#speaking === turnId) return;
    this.#speaking = turnId;
    const { total = 0, tts = 0, brain = 0 } = this.#latency ?? {};
    this.#latency = null;
    this.#send('AgentStartedSpeaking', {
      total_latency: total / 1000,
      tts_latency: tts / 1000,
      ttt_latency: brain / 1000,
    });
  }

  #fail(code: string, description: string, close: number): void {
    if (this.isOver) return;
    this.#send('Error', { code, description });
    this.isOver = true;
    this.socket.close(close, code);
  }

  #send(type: string, more: object): void {
    if (!this.isOver) this.socket.send(JSON.stringify({ type, ...more }));
  }
}
