import type {
  CallConfiguration,
  CallerConnection,
  CallTransport,
} from '../../../conversation/calls/index.ts';
import type { EndReason, TurnLatency } from '../../../conversation/session/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { ErrorCode } from '../../../foundation/platform/errors.ts';
import { TokenBucket } from '../../../foundation/platform/token-bucket.ts';
import type { omni } from '../../../media/wire/index.ts';
import type { Socket, SocketHandler } from '../../server/surface.ts';
import type { AdmittedCall, GatewayCall } from './openai/contract.ts';

/** Frames with audio come every 10 ms at most; a recording may be sent as fast as the connection allows. */
const FRAMES = { capacity: 1_000, refillPerSecond: 500 };

/** The bounds of Omni's own `user_text` and `context`. */
export const MOST_TYPED = 4000;
export const MOST_CONTEXT = 8000;

export const NEVER_IDLE = { afterMs: 2 ** 31 - 1, times: 1, hangUp: false };
/** A function of the client must answer within this time. */
export const TOOL_TIMEOUT_MS = 30_000;

const CLOSES: Partial<Record<EndReason, number>> = {
  brain_unavailable: 1011,
  engine_failed: 1011,
  credential_revoked: 4401,
  forbidden: 4403,
  cap_reached: 4429,
  protocol_violation: 1008,
  draining: 1001,
};

/** The part of a conversation that every vendor's protocol shares: its limits, the life of its call, and its end. */
export abstract class VendorConversation implements SocketHandler, CallTransport {
  protected readonly socket: Socket;
  protected admitted: AdmittedCall | null;
  protected call: GatewayCall | null = null;
  protected isOver = false;
  readonly #frames: TokenBucket;
  readonly #stopWaiting: () => void;

  /** `onIdle` runs when no call has begun within `beginWithinMs`. */
  constructor(
    clock: Clock,
    socket: Socket,
    admitted: AdmittedCall | null,
    beginWithinMs: number,
    onIdle: () => void,
  ) {
    this.socket = socket;
    this.admitted = admitted;
    this.#frames = new TokenBucket(clock, FRAMES);
    this.#stopWaiting = clock.after(beginWithinMs, onIdle);
  }

  protected abstract onFrame(data: Uint8Array, isBinary: boolean): void;

  abstract acknowledge(configured: CallConfiguration): void;
  abstract sendError(code: ErrorCode, message: string, param: string | null): void;
  abstract audio(pcm: Uint8Array): void;
  abstract transcript(said: Parameters<CallTransport['transcript']>[0]): void;
  abstract toolCall(invocation: Parameters<CallTransport['toolCall']>[0]): void;

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (this.isOver) return;
    if (this.#frames.take()) this.onFrame(data, isBinary);
    else this.breakOff('Messages are sent too fast.');
  }

  onClosing(code: number): void {
    this.call?.closing(code);
  }

  onClosed(): void {
    this.isOver = true;
    this.#stopWaiting();
    if (this.call === null) this.admitted?.abandon();
    else this.call.closed();
  }

  // These events have no counterpart in most of the protocols; the call record reports what matters of them.
  bargeIn(): void {}
  speech(_kind: 'started' | 'stopped', _atMs: number): void {}
  turn(_turnId: number, _latency: TurnLatency): void {}
  turnOver(_turnId: number, _interrupted: boolean): void {}
  captured(..._captured: Parameters<CallTransport['captured']>): void {}
  captureFailed(..._failed: Parameters<CallTransport['captureFailed']>): void {}
  sendKeys(_digits: string): void {}
  transfer(_to: string, _summary: string): void {}

  ended(reason: EndReason): void {
    this.isOver = true;
    this.socket.close(CLOSES[reason] ?? 1000, reason);
  }

  failed(code: ErrorCode | null, status: number | null): void {
    this.isOver = true;
    const close = status === 503 ? 1013 : status !== null && status < 500 ? 1008 : 1011;
    this.socket.close(close, code ?? 'engine_failed');
  }

  protected begin(
    how: Pick<CallerConnection, 'rate' | 'endpointingMs' | 'idle'>,
    configuration: omni.Configuration,
  ): void {
    this.stopWaiting();
    this.call = this.admitted?.begin(how, this) ?? null;
    this.call?.configure(configuration);
  }

  protected stopWaiting(): void {
    this.#stopWaiting();
  }

  protected forward(pcm: Uint8Array): void {
    if (this.call?.heard(pcm) === false)
      this.breakOff('Audio is sent faster than real time, and the limit of two minutes is queued.');
  }

  protected settleToolCall(id: unknown, answer: { result?: unknown; error?: string }): boolean {
    return this.call?.controls?.settleToolCall(String(id), answer) === true;
  }

  protected breakOff(message: string): void {
    this.sendError('rate_limit_exceeded', message, null);
    this.end('protocol_violation');
  }

  protected end(reason: EndReason): void {
    if (this.call === null) this.ended(reason);
    else this.call.end(reason);
  }
}
