import { omni } from '../../media/index.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import type { Socket } from '../../server/surface.ts';
import type { EndReason, SessionOutput, ToolInvocation } from '../../session/index.ts';
import type { Degradations } from './call-end.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { Complaint, Configured } from './configuration.ts';
import type { OmniRate } from './connect.ts';
import { errorMessage } from './error-event.ts';

/** What a call tells its client, in frames. */
export class CallWire {
  readonly #socket: Socket;
  readonly #callId: string;
  readonly #rate: OmniRate;

  constructor(socket: Socket, callId: string, rate: OmniRate) {
    this.#socket = socket;
    this.#callId = callId;
    this.#rate = rate;
  }

  complain(code: ErrorCode, message: string, param: string | null): void {
    this.#event(errorMessage(code, message, param));
  }

  /** What is served, and what was not done as asked. */
  acknowledge(configured: Configured): void {
    this.#event({
      event: 'configured',
      call_id: this.#callId,
      language_active: configured.language,
      language_fallback: configured.languageFallback,
      voice_id: configured.voice.id,
      voice_tier: configured.voice.tier,
      format: 'pcm16',
      rate: this.#rate,
    });
    this.complainAll(configured.complaints);
  }

  complainAll(complaints: readonly Complaint[]): void {
    for (const { code, message, param } of complaints) this.complain(code, message, param);
  }

  toolCall({ callId, name, arguments: args, timeoutMs }: ToolInvocation): void {
    this.#event({ event: 'tool_call', call_id: callId, name, arguments: args, timeout_ms: timeoutMs });
  }

  ended(reason: EndReason, durationMs: number): void {
    this.#event({ event: 'ended', reason, duration_s: durationMs / 1000 });
  }

  /** Where the session's words go; its steps into the record and the metrics, its end to the call. */
  output(degraded: Degradations, metrics: CallMetrics, ended: (reason: EndReason) => void): SessionOutput {
    return {
      audio: (pcm) => void this.#socket.send(omni.audioFrame(pcm)),
      transcript: ({ role, turnId, text, final }) =>
        void this.#socket.send(omni.transcriptFrame({ role, turn_id: turnId, text, final })),
      bargeIn: (turnId, playedMs) => {
        metrics.bargeIn();
        this.#event({ event: 'barge_in', turn_id: turnId, played_ms: playedMs, alias: 'flush' });
      },
      turn: (turnId, latency) => {
        metrics.turn(latency);
        this.#event({ event: 'turn', turn_id: turnId, latency_ms: latency });
      },
      degraded: (turnId, step, reason) => {
        metrics.degraded(step, reason);
        degraded.add(turnId, step, reason);
      },
      ended,
    };
  }

  #event(event: omni.ServerEvent): void {
    this.#socket.send(omni.controlFrame(event));
  }
}
