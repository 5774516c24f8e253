import {
  type CallControls,
  type CallerConnection,
  LiveCall,
  type LiveCallDeps,
  notResumable,
  UnusableLookup,
} from '../../../conversation/calls/index.ts';
import type { EndReason } from '../../../conversation/session/index.ts';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { storageRefusal } from '../../../foundation/platform/storage-fault.ts';
import { omni } from '../../../media/wire/index.ts';
import type { SocketHandler } from '../../server/surface.ts';
import { LISTENER_CLOSES, TOO_BIG } from './close-codes.ts';
import type { OmniEventWriter } from './event-writer.ts';
import { PacedAudioQueue } from './paced-audio-queue.ts';
import { AudioRateLimiter, ControlRateLimiter } from './rate-limits.ts';

/** RFC 6455 reserves this code for a connection that ended without a close frame. */
export const ABNORMAL_CLOSURE = 1006;
/** The limit is two seconds of audio. */
const MAX_FRAMES_WHILE_RESUMING = 100;
const FRAME_TOO_BIG_MESSAGE = `a frame can have at most ${omni.MAX_FRAME_BYTES} bytes`;

export class OmniCallSession implements SocketHandler {
  #call: LiveCall;
  readonly #deps: LiveCallDeps;
  readonly #caller: CallerConnection;
  readonly #wire: OmniEventWriter;
  readonly #backlog: PacedAudioQueue;
  readonly #controls: ControlRateLimiter;
  #resuming: Uint8Array[] | null = null;
  #isClosed = false;
  /** Set when the listener itself closes the socket; the close code of a client does not count as a reason. */
  #left: EndReason | null = null;

  constructor(deps: LiveCallDeps, caller: CallerConnection, wire: OmniEventWriter) {
    this.#wire = wire;
    this.#deps = deps;
    this.#caller = caller;
    this.#backlog = new PacedAudioQueue({
      clock: deps.clock,
      rateLimiter: new AudioRateLimiter(deps.clock, caller.rate),
      bytesPerSecond: 2 * caller.rate,
      forward: (pcm) => this.#call.audio(pcm),
    });
    this.#controls = new ControlRateLimiter(deps.clock);
    this.#call = new LiveCall(deps, caller, wire);
  }

  heard(pcm: Uint8Array): void {
    if (this.#call.phase !== 'ending' && this.#call.phase !== 'over') this.#audio(pcm);
  }

  pressed(digit: string): void {
    this.#call.controls?.dtmf(digit);
  }

  /** The agent's lane, to connect with the caller's audio; it is null while the call is not live. */
  get lane(): { readonly slot: number; readonly generation: number } | null {
    return this.#call.controls?.laneRef() ?? null;
  }

  /** Configures the call with the defaults of the agent or the account, because no `configure` will arrive. */
  begin(): void {
    this.#call.configure({ type: 'configure' });
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (this.#call.phase === 'ending' || this.#call.phase === 'over') return;
    if (this.#resuming !== null) {
      if (this.#resuming.length < MAX_FRAMES_WHILE_RESUMING) this.#resuming.push(data.slice());
      return;
    }
    if (data[0] !== omni.AUDIO_TAG && !this.#controls.takeControl()) {
      this.#wire.sendError('rate_limit_exceeded', 'too many control frames', null);
      this.#call.end('protocol_violation');
      return;
    }
    try {
      const frame = omni.readClientFrame(data, isBinary);
      if (frame.kind === 'audio') this.#audio(frame.pcm);
      else this.#control(omni.readClientMessage(frame.json));
    } catch (error) {
      if (error instanceof omni.MessageError || error instanceof omni.OmniFrameError)
        this.#call.configureRefused();
      if (error instanceof omni.MessageError) this.#refuse(error.message, error.param);
      else if (error instanceof omni.OmniFrameError) this.#badFrame(error);
      else throw error;
    }
  }

  /** The client still gets its `ended`; the call record waits until the lane has reported what was played. */
  onClosing(code: number): void {
    if (this.#call.phase === 'over') return;
    if (code === TOO_BIG) this.#wire.sendError('payload_too_large', FRAME_TOO_BIG_MESSAGE, null);
    this.#left = LISTENER_CLOSES[code] ?? 'client_gone';
    this.#call.stop(this.#left);
    this.#wire.sendEnded(this.#left, this.#call.servedMs);
  }

  /** A client that closes normally ends its call; after a network failure or a drain, it may resume the call. */
  onClosed(code?: number): void {
    this.#isClosed = true;
    this.#backlog.clear();
    const reason = this.#left ?? 'client_gone';
    if (reason === 'draining' || (this.#left === null && code === ABNORMAL_CLOSURE))
      this.#call.suspend(reason);
    else this.#call.end(reason);
  }

  async #resume(token: string): Promise<void> {
    const { checkpoints, log } = this.#deps;
    const { principal, resumable } = this.#caller;
    this.#resuming = [];
    try {
      if (checkpoints === undefined || resumable !== true) throw notResumable();
      const agentId = principal.browser?.agentId ?? null;
      const claimed = await checkpoints.claim(tenantScopeOf(principal), token, agentId);
      this.#call.discard();
      this.#wire.goesOnWith(claimed.id);
      const { sessionLabel } = claimed.state;
      this.#call = new LiveCall(
        this.#deps,
        { ...this.#caller, callId: claimed.id, sessionLabel, resumes: claimed },
        this.#wire,
      );
      this.#call.resume();
      if (this.#isClosed) this.#call.suspend('client_gone');
    } catch (error) {
      const known = error instanceof ApiError ? error : storageRefusal(error);
      if (known === null) log.error({ err: error }, 'a call could not be resumed');
      const {
        code = 'internal_error',
        message = 'the call could not be resumed',
        param = null,
      } = known ?? {};
      this.#wire.sendError(code, message, param);
      this.#call.refuse(code, known?.status ?? null);
    }
    const frames = this.#resuming;
    this.#resuming = null;
    for (const frame of frames) this.onMessage(frame, true);
  }

  #refuse(message: string, param: string | null): void {
    this.#wire.sendError('invalid_request', message, param);
  }

  #badFrame(error: omni.OmniFrameError): void {
    this.#refuse(error.message, null);
    if (error.fatal) this.#call.end('protocol_violation');
  }

  #audio(pcm: Uint8Array): void {
    if (this.#backlog.add(pcm)) return;
    this.#refuse('audio arrives faster than real time, and the limit of two minutes is queued', null);
    this.#call.end('protocol_violation');
  }

  #control(message: omni.ClientMessage): void {
    if (message.type === 'end') {
      this.#call.end('client_ended');
    } else if (message.type === 'ping') {
      this.#wire.pong();
    } else if (message.type === 'configure' && message.resume !== undefined) {
      this.#asksToResume(message, message.resume);
    } else if (message.type === 'configure') {
      if (this.#controls.takeConfigure()) this.#call.configure(message);
      else
        this.#wire.sendError(
          'rate_limit_exceeded',
          'configure was sent too often; nothing was changed',
          'type',
        );
    } else {
      const { controls: steering } = this.#call;
      if (steering === null)
        this.#refuse(`${message.type} was sent before the message configured; wait for it`, 'type');
      else this.#steer(steering, message);
    }
  }

  #asksToResume({ type: _type, resume: _resume, ...others }: omni.Configuration, token: string): void {
    const [other] = Object.keys(others);
    if (other !== undefined)
      this.#refuse(
        'resume cannot be combined with other fields: the call continues with its settings',
        other,
      );
    else if (this.#call.phase !== 'waiting')
      this.#refuse('resume is only allowed in the first message of a connection', 'resume');
    else void this.#resume(token);
  }

  #steer(
    steering: CallControls,
    message: Exclude<omni.ClientMessage, { type: 'configure' | 'ping' | 'end' }>,
  ): void {
    switch (message.type) {
      case 'tool_result':
        this.#settle(steering, message);
        return;
      case 'dtmf':
        steering.dtmf(message.digits);
        return;
      case 'say':
        if (!steering.say(message.text, message.interrupt === true))
          this.#wire.sendError(
            'rate_limit_exceeded',
            'the queue of text to speak is full: wait until the agent has spoken, or send interrupt: true',
            'text',
          );
        return;
      case 'user_text':
        steering.typedTurn(message.text);
        return;
      case 'context':
        steering.injectContext(message.text);
        return;
      case 'capture':
        this.#capture(steering, message);
        return;
      case 'interrupt':
        steering.interrupt();
    }
  }

  #capture(
    steering: CallControls,
    { type: _, ...order }: Extract<omni.ClientMessage, { type: 'capture' }>,
  ): void {
    try {
      steering.capture(order);
    } catch (error) {
      if (!(error instanceof UnusableLookup)) throw error;
      this.#refuse(error.message, 'lookup');
    }
  }

  #settle(steering: CallControls, message: Extract<omni.ClientMessage, { type: 'tool_result' }>): void {
    if ((message.result === undefined) === (message.error === undefined)) {
      this.#refuse('a tool_result must have either result or error', 'result');
    } else if (!steering.settleToolCall(message.call_id, answerOf(message))) {
      this.#refuse('no tool call with this call_id is waiting for a result', 'call_id');
    }
  }
}

const answerOf = (message: { result?: unknown; error?: string }) => ({
  ...(message.result === undefined ? {} : { result: message.result }),
  ...(message.error === undefined ? {} : { error: message.error }),
});
