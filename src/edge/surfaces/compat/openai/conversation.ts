import { AGENT_LANGUAGES } from '../../../../conversation/agents/index.ts';
import type {
  CallConfiguration,
  CallTransport,
  CapturedValue,
  CaptureFailure,
} from '../../../../conversation/calls/index.ts';
import type { EndReason, ToolInvocation } from '../../../../conversation/session/index.ts';
import type { Principal } from '../../../../foundation/access/contract.ts';
import type { Clock } from '../../../../foundation/platform/clock.ts';
import type { ErrorCode } from '../../../../foundation/platform/errors.ts';
import type { omni } from '../../../../media/wire/index.ts';
import { printableFieldName, type Socket } from '../../../server/surface.ts';
import { type Fields, fieldsOf, jsonOr, NO_EVENT, readClientMessage } from '../client-message.ts';
import {
  MOST_CONTEXT,
  MOST_TYPED,
  NEVER_IDLE,
  TOOL_TIMEOUT_MS,
  VendorConversation,
} from '../vendor-conversation.ts';
import { RealtimeCallerInput } from './caller-input.ts';
import type { AdmittedCall, PeerLine, Recognize } from './contract.ts';
import { EventSink, newThing } from './events.ts';
import { ItemError, Items, keepLatest, readItem } from './items.ts';
import { type Ending, OpenResponse } from './response.ts';
import {
  type Dialect,
  endpointingOf,
  instructionsOf,
  type RealtimeSettings,
  readSession,
  SessionError,
  showSession,
} from './settings.ts';
import { bytesOf, pcmOf, rateOf } from './sound.ts';

export interface ConversationDeps {
  readonly clock: Clock;
  readonly recognize: Recognize;
}

export interface Opening {
  readonly principal: Principal;
  readonly model: string;
  readonly dialect: Dialect;
  readonly settings: RealtimeSettings;
}

/** The limit on audio before the call is live is ten seconds of PCM16 at 24 kHz. */
const MOST_HELD_BYTES = 480_000;
/** The timeout exists because a connection without a call occupies one of its key's sessions. */
const BEGIN_WITHIN_MS = 10 * 60_000;
/** A client by WebRTC that sends no settings within this time is content with those of its offer. */
const PEER_SETTINGS_WITHIN_MS = 2_000;
const SESSION_SECONDS = 3600;
const NOBODY_ASKED = 'Nobody has said anything yet. Say what your instructions ask for now.';

export class RealtimeConversation extends VendorConversation {
  readonly #deps: ConversationDeps;
  readonly #opening: Opening;
  readonly #line: PeerLine | null;
  readonly #events: EventSink;
  readonly #items = new Items();
  readonly #input: RealtimeCallerInput;
  readonly #id = newThing('sess');
  readonly #conversationId = newThing('conv');
  readonly #expiresAt: number;
  readonly #aborting = new AbortController();
  #settings: RealtimeSettings;
  /** These actions wait until the call is live; the list is null from then on. */
  #waiting: (() => void)[] | null = [];
  #sent: RealtimeSettings | null = null;
  #updates = 0;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #voice: string | null = null;
  #response: OpenResponse | null = null;
  #past = -1;
  #isCut = false;
  /** The supervisors' audio comes as the agent's does, and belongs to no turn that could be cut. */
  #isBridged = false;
  #said = { turnId: -1, text: '' };
  readonly #typed = new Map<string, string>();
  /** The call reports typed text as the caller's speech; its item already exists. */
  #expects: string | null = null;
  #recognizing: Promise<unknown> = Promise.resolve();
  /** The agent's turn waits for the outputs of its functions, and continues by itself. */
  #turnGoesOn = false;
  #closesCalls: (() => void) | null = null;
  #stopSettling: (() => void) | null = null;

  /** With a `line`, audio takes its track, and the socket is its data channel. */
  constructor(
    deps: ConversationDeps,
    admitted: AdmittedCall,
    socket: Socket,
    opening: Opening,
    line: PeerLine | null = null,
  ) {
    super(deps.clock, socket, admitted, BEGIN_WITHIN_MS, () => {
      this.#events.error('session_idle', 'nothing was asked of the session in ten minutes');
      this.end('caller_idle');
    });
    this.#deps = deps;
    this.#opening = opening;
    this.#line = line;
    this.#events = new EventSink(socket, opening.dialect);
    this.#expiresAt = Math.floor(deps.clock.now() / 1000) + SESSION_SECONDS;
    this.#settings = opening.settings;
    this.#input = new RealtimeCallerInput(this.#events, this.#items);
    this.#events.emit('session.created', { session: this.#shown() });
    if (line !== null)
      this.#stopSettling = deps.clock.after(line.hasChannel ? PEER_SETTINGS_WITHIN_MS : 0, () => {
        if (this.call === null) this.#configure();
      });
  }

  /** The caller's audio from a track, which never pauses: what comes before the call is live is not kept. */
  heard(pcm: Uint8Array): void {
    if (this.isOver) return;
    if (this.#settings.turnDetection === null) this.#input.keepLatest(Buffer.from(pcm));
    else if (this.#waiting === null) this.forward(pcm);
  }

  pressed(digit: string): void {
    this.call?.controls?.dtmf(digit);
  }

  protected onFrame(data: Uint8Array, isBinary: boolean): void {
    // A data channel's messages come as bytes, whatever the client sent.
    const message = isBinary && this.#line === null ? null : readClientMessage(data);
    if (message === null) {
      this.#events.error('invalid_request', NO_EVENT);
      return;
    }
    try {
      this.#take(message);
    } catch (error) {
      if (!(error instanceof SessionError || error instanceof ItemError)) throw error;
      this.#events.error('invalid_value', error.message, error.param, message.event_id);
    }
  }

  override onClosing(code: number): void {
    super.onClosing(code);
    this.#finish({ status: 'cancelled', reason: 'client_cancelled' });
  }

  override onClosed(): void {
    this.#aborting.abort();
    this.#closesCalls?.();
    this.#stopSettling?.();
    super.onClosed();
  }

  acknowledge({ voice, warnings }: CallConfiguration): void {
    this.#voice = voice.id;
    for (const { code, message, param } of warnings) this.sendError(code, message, param);
    for (; this.#updates > 0; this.#updates--)
      this.#events.emit('session.updated', { session: this.#shown() });
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const pcm of this.#held) this.#hear(pcm);
    this.#held = [];
    for (const act of waiting) act();
  }

  sendError(code: ErrorCode, message: string, param: string | null): void {
    this.#events.error(code, message, param);
  }

  audio(pcm: Uint8Array): void {
    if (this.#isBridged) this.#isCut = false;
    if (this.#isCut) return;
    const response = this.#responding();
    if (this.#line === null) response.audio(bytesOf(this.#settings.format, pcm).toString('base64'));
    else if (response.plays()) this.#line.peer.send(pcm);
  }

  bridged(on: boolean): void {
    this.#isBridged = on;
    this.#isCut = false;
    const isAgents = this.#said.turnId > this.#past;
    if (!on && !isAgents && this.#response?.sounds === true) this.#finish({ status: 'completed' });
  }

  transcript({ role, turnId, text, final }: Parameters<CallTransport['transcript']>[0]): void {
    if (role === 'agent') this.#agentSays(turnId, text);
    else if (final) this.#callerSaid(turnId, text);
  }

  override speech(kind: 'started' | 'stopped', atMs: number): void {
    if (kind === 'stopped') this.#input.stopped(atMs);
    // Speech over the agent may be a backchannel: it is reported once the agent yields.
    else this.#input.started(atMs, this.#response?.sounds !== true);
  }

  override turnOver(turnId: number, interrupted: boolean): void {
    if (turnId <= this.#past) {
      this.#isCut = false;
      return;
    }
    this.#past = turnId;
    this.#turnGoesOn = false;
    if (interrupted) this.#input.notifyStarted();
    this.#finish(interrupted ? { status: 'cancelled', reason: 'turn_detected' } : { status: 'completed' });
    this.#isCut = false;
  }

  toolCall({ callId, name, arguments: args }: ToolInvocation): void {
    this.#turnGoesOn = true;
    const response = this.#responding();
    response.call(callId, name, JSON.stringify(args));
    this.#closesCalls ??= this.#deps.clock.after(0, () => {
      this.#closesCalls = null;
      this.#finish({ status: 'completed' });
    });
  }

  override captured(slot: string, _kind: string, { value }: CapturedValue): void {
    this.#events.emit('svc.captured', { slot, value });
  }

  override captureFailed(slot: string, reason: CaptureFailure): void {
    this.#events.emit('svc.capture_failed', { slot, reason });
  }

  override sendKeys(digits: string): void {
    this.#events.emit('svc.send_keys', { digits });
  }

  override transfer(to: string, summary: string): void {
    this.#events.emit('svc.hand_over', { to, summary });
  }

  override ended(reason: EndReason): void {
    this.#finish({ status: 'cancelled', reason: 'client_cancelled' });
    super.ended(reason);
  }

  #take(message: Fields): void {
    switch (message.type) {
      case 'session.update':
        this.#update(message.session);
        return;
      case 'input_audio_buffer.append':
        this.#append(message);
        return;
      case 'input_audio_buffer.commit':
        this.#commit(message);
        return;
      case 'input_audio_buffer.clear':
        this.#input.clear();
        this.#events.emit('input_audio_buffer.cleared');
        return;
      case 'output_audio_buffer.clear':
        this.#cancel();
        return;
      case 'conversation.item.create':
        this.#bring(message);
        return;
      case 'conversation.item.retrieve':
        this.#retrieve(message);
        return;
      case 'conversation.item.truncate':
        this.#truncate(message);
        return;
      case 'conversation.item.delete':
        this.#delete(message);
        return;
      case 'response.create':
        this.#respond(message);
        return;
      case 'response.cancel':
        if (this.#response === null)
          this.#events.error('response_cancel_not_active', 'No response is active.', null, message.event_id);
        else this.#cancel();
        return;
      default:
        this.#events.error(
          'invalid_value',
          `type ${printableFieldName(String(message.type))} is not a client event`,
          'type',
          message.event_id,
        );
    }
  }

  #update(said: unknown): void {
    const next = readSession(said, this.#settings);
    if (this.#line === null && this.call !== null && next.format !== this.#settings.format)
      throw new SessionError(
        'session.audio.input.format',
        'the audio format can be changed only before the first audio',
      );
    this.#settings = next;
    this.#updates++;
    this.#configure();
  }

  /** Sends only the settings that changed, and starts the call with the first of them. */
  #configure(): void {
    const message = configurationOf(this.#settings, this.#sent);
    this.#sent = this.#settings;
    if (this.call === null) {
      const endpointingMs = endpointingOf(this.#settings.turnDetection);
      const rate = this.#line?.rate ?? rateOf(this.#settings.format);
      this.begin({ rate, idle: NEVER_IDLE, ...(endpointingMs === null ? {} : { endpointingMs }) }, message);
    } else if (Object.keys(message).length > 1) this.call.configure(message);
    else if (this.#waiting === null)
      for (; this.#updates > 0; this.#updates--)
        this.#events.emit('session.updated', { session: this.#shown() });
  }

  #whenLive(act: () => void): void {
    if (this.call === null) this.#configure();
    if (this.#waiting === null) act();
    else this.#waiting.push(act);
  }

  #append({ audio, event_id: about }: Fields): void {
    const { format, turnDetection } = this.#settings;
    if (this.#line !== null) {
      this.#events.error('invalid_value', 'audio of a WebRTC call must be sent on its track', 'type', about);
      return;
    }
    if (typeof audio !== 'string') {
      this.#events.error('invalid_value', 'audio must be a Base64-encoded string', 'audio', about);
      return;
    }
    const bytes = Buffer.from(audio, 'base64');
    if (format === 'audio/pcm' && bytes.length % 2 === 1) {
      this.#events.error('invalid_value', 'audio must contain whole 16-bit samples', 'audio', about);
      return;
    }
    if (bytes.length === 0) return;
    const pcm = pcmOf(format, bytes);
    if (turnDetection !== null) this.#hear(pcm);
    else if (!this.#input.keep(pcm))
      this.#events.error(
        'input_audio_buffer_full',
        'the input audio buffer is full: it can hold 5 minutes',
        'audio',
        about,
      );
  }

  #hear(pcm: Buffer): void {
    if (this.call === null) this.#configure();
    if (this.#waiting !== null) {
      this.#heldBytes += pcm.length;
      if (this.#heldBytes <= MOST_HELD_BYTES) this.#held.push(pcm);
      return;
    }
    this.forward(pcm);
  }

  #commit({ event_id: about }: Fields): void {
    // The server ends turns itself; a commit is then allowed and has no effect.
    if (this.#settings.turnDetection !== null) return;
    const pcm = this.#input.take();
    if (pcm === null) {
      const message = 'the input audio buffer is empty';
      this.#events.error('input_audio_buffer_commit_empty', message, null, about);
      return;
    }
    const itemId = this.#input.commit('');
    this.#recognize(itemId, pcm, this.#line?.rate ?? rateOf(this.#settings.format));
  }

  /** Responses wait for the recognition. */
  #recognize(itemId: string, pcm: Buffer, rate: number): void {
    const sound = { pcm, rate, language: this.#settings.transcription?.language ?? null };
    this.#recognizing = Promise.all([
      this.#recognizing,
      this.#deps.recognize(this.#opening.principal, sound, this.#aborting.signal),
    ]).then(
      ([, text]) => {
        if (this.isOver) return;
        keepLatest(this.#typed, itemId, text);
        this.#input.heard(itemId, text, this.#settings.transcription !== null, pcm.length / 2 / sound.rate);
      },
      (error: unknown) => {
        if (this.isOver) return;
        const message = error instanceof Error ? error.message : 'the audio could not be recognized';
        this.#input.unheard(itemId, message);
      },
    );
  }

  #bring({ item: said, event_id: about }: Fields): void {
    const { item, brought } = readItem(said);
    if (this.#items.find(item.id) !== null) {
      this.#events.error('item_exists', 'an item with this ID already exists', 'item.id', about);
      return;
    }
    const previous = this.#items.add(item);
    this.#events.emit('conversation.item.added', { previous_item_id: previous, item });
    this.#events.emit('conversation.item.done', { previous_item_id: previous, item });
    switch (brought.kind) {
      case 'said':
        keepLatest(this.#typed, item.id, brought.text);
        return;
      case 'known':
        this.#whenLive(() => this.call?.controls?.injectContext(brought.text));
        return;
      case 'recorded':
        this.#recognize(item.id, pcmOf(this.#settings.format, brought.bytes), rateOf(this.#settings.format));
        return;
      case 'output':
        this.#settle(brought.callId, brought.output, about);
    }
  }

  #settle(callId: string, output: string, about: unknown): void {
    const result = jsonOr(output);
    this.#whenLive(() => {
      if (this.settleToolCall(callId, { result })) return;
      const message = 'no function call with this call_id is waiting for an output';
      this.#events.error('invalid_value', message, 'item.call_id', about);
    });
  }

  #retrieve({ item_id: id, event_id: about }: Fields): void {
    const item = this.#items.find(id);
    if (item === null) this.#events.error('item_not_found', 'there is no such item', 'item_id', about);
    else this.#events.emit('conversation.item.retrieved', { item });
  }

  /** The call record holds only played audio, so nothing has to be truncated. */
  #truncate({ item_id, content_index = 0, audio_end_ms, event_id: about }: Fields): void {
    if (this.#items.find(item_id) === null)
      this.#events.error('item_not_found', 'there is no such item', 'item_id', about);
    else this.#events.emit('conversation.item.truncated', { item_id, content_index, audio_end_ms });
  }

  /** Deletes an item that the agent has not received yet; one that it has received stays in its context. */
  #delete({ item_id: id, event_id: about }: Fields): void {
    const item = this.#items.find(id);
    if (item === null) {
      this.#events.error('item_not_found', 'there is no such item', 'item_id', about);
      return;
    }
    if (item.role !== undefined && !this.#typed.delete(item.id)) {
      const message = 'the agent has already used the item: only a pending item can be deleted';
      this.#events.error('item_not_deletable', message, 'item_id', about);
      return;
    }
    this.#items.delete(item.id);
    this.#events.emit('conversation.item.deleted', { item_id: item.id });
  }

  #respond({ response: said, event_id: about }: Fields): void {
    const asked = fieldsOf(said);
    if (asked.conversation === 'none') {
      const message = 'responses outside the conversation are not supported';
      this.#events.error('invalid_value', message, 'response.conversation', about);
      return;
    }
    const metadata = asked.metadata ?? null;
    const instructions =
      asked.instructions == null ? null : instructionsOf(asked.instructions, 'response.instructions');
    void this.#recognizing.then(() =>
      this.#whenLive(() => {
        if (!this.isOver) this.#answer(instructions, metadata, about);
      }),
    );
  }

  #answer(instructions: string | null, metadata: unknown, about: unknown): void {
    const controls = this.call?.controls;
    if (controls == null) return;
    const texts = this.#takeTyped();
    const turn = lastWithin(MOST_TYPED, texts);
    const earlier = texts.slice(0, texts.length - turn.length).join('\n');
    // A recording alone may have a longer text.
    const typed = turn.join('\n').slice(-MOST_TYPED);
    if (typed === '' && this.#turnGoesOn) {
      this.#responding(metadata);
      return;
    }
    if (this.#response !== null && typed === '') {
      const message = `the response ${this.#response.id} is active: wait for response.done, or cancel the response`;
      this.#events.error('conversation_already_has_active_response', message, null, about);
      return;
    }
    this.#finish({ status: 'cancelled', reason: 'client_cancelled' });
    this.#past = Math.max(this.#past, this.#said.turnId);
    if (typed === '') {
      if (!controls.respond(instructions ?? NOBODY_ASKED)) {
        const message =
          'the agent’s flow or open question controls the next turn: send the caller’s input instead';
        this.#events.error('response_not_possible', message, null, about);
        return;
      }
    } else {
      if (earlier !== '') controls.injectContext(typedBefore(earlier));
      if (instructions !== null) controls.injectContext(`For the next answer alone: ${instructions}`);
      this.#expects = typed;
      controls.typedTurn(typed);
    }
    this.#responding(metadata);
  }

  #takeTyped(): string[] {
    const texts = [...this.#typed.values()].filter((text) => text !== '');
    this.#typed.clear();
    return texts;
  }

  #cancel(): void {
    this.#finish({ status: 'cancelled', reason: 'client_cancelled' });
    this.#past = Math.max(this.#past, this.#said.turnId);
    this.#turnGoesOn = false;
    this.call?.controls?.interrupt();
  }

  #callerSaid(turnId: number, text: string): void {
    this.#finish({ status: 'cancelled', reason: 'turn_detected' });
    this.#past = Math.max(this.#past, turnId);
    this.#turnGoesOn = false;
    if (this.#expects === text) {
      this.#expects = null;
      return;
    }
    const typed = this.#takeTyped().join('\n');
    if (typed !== '') this.call?.controls?.injectContext(typedBefore(typed));
    const itemId = this.#input.commit(text);
    this.#input.heard(itemId, text, this.#settings.transcription !== null);
    this.#responding();
  }

  #agentSays(turnId: number, text: string): void {
    if (turnId <= this.#past) return;
    this.#isCut = false;
    const before = this.#said.turnId === turnId ? this.#said.text : '';
    this.#said = { turnId, text };
    // The played part of an interrupted turn is shorter than the text already sent.
    if (text.startsWith(before)) this.#responding().text(text.slice(before.length));
  }

  #responding(metadata: unknown = null): OpenResponse {
    this.#response ??= new OpenResponse({
      events: this.#events,
      textOnly: this.#settings.textOnly,
      conversationId: this.#conversationId,
      metadata,
      remember: (item) => this.#items.add(item),
      replace: (item) => this.#items.replace(item),
      sound: {
        format: { type: this.#settings.format },
        voice: this.#settings.voice ?? this.#voice ?? 'alloy',
      },
    });
    return this.#response;
  }

  #finish(ending: Ending): void {
    const response = this.#response;
    this.#response = null;
    if (ending.status === 'cancelled' && response?.sounds === true) this.#isCut = true;
    if (this.#isCut) this.#line?.peer.clear();
    response?.finish(ending);
  }

  #shown(): object {
    const { model, dialect } = this.#opening;
    const settings = { ...this.#settings, voice: this.#settings.voice ?? this.#voice };
    const shown = { id: this.#id, model, kind: 'realtime', expiresAt: this.#expiresAt } as const;
    return showSession(settings, shown, dialect);
  }
}

function configurationOf(next: RealtimeSettings, before: RealtimeSettings | null): omni.Configuration {
  const isNew = (name: keyof RealtimeSettings) =>
    before === null || JSON.stringify(next[name]) !== JSON.stringify(before[name]);
  const language = AGENT_LANGUAGES.find((known) => known === next.transcription?.language);
  return {
    type: 'configure',
    ...(isNew('instructions') ? { persona: next.instructions } : {}),
    ...(isNew('voice') && next.voice !== null ? { voice_id: next.voice } : {}),
    ...(isNew('temperature') && next.temperature !== null ? { temperature: next.temperature } : {}),
    ...(isNew('transcription') && language !== undefined ? { language } : {}),
    ...(isNew('tools') || isNew('toolChoice') ? { tools: toolsFor(next) } : {}),
  };
}

const toolsFor = ({ tools, toolChoice }: RealtimeSettings) =>
  toolChoice === 'none' ? [] : tools.map((tool) => ({ ...tool, timeout_ms: TOOL_TIMEOUT_MS }));

const typedBefore = (text: string): string => `The caller has typed: ${text.slice(-MOST_CONTEXT)}`;

/** The last text, and those before it for as long as they stay within the bound together, joined by a character. */
function lastWithin(most: number, texts: readonly string[]): readonly string[] {
  let at = Math.max(0, texts.length - 1);
  let characters = texts[at]?.length ?? 0;
  while (at > 0 && characters + 1 + texts[at - 1]!.length <= most) {
    at -= 1;
    characters += 1 + texts[at]!.length;
  }
  return texts.slice(at);
}
