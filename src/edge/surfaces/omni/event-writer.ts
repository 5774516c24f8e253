import type {
  CallConfiguration,
  CallRate,
  CallResume,
  CallTransport,
  CapturedValue,
  CaptureFailure,
  ConfigurationWarning,
  LanguageChange,
  TransferManner,
} from '../../../conversation/calls/index.ts';
import type { EndReason, ToolInvocation, TurnLatency } from '../../../conversation/session/index.ts';
import type { ErrorCode } from '../../../foundation/platform/errors.ts';
import { omni } from '../../../media/wire/index.ts';
import type { Socket } from '../../server/surface.ts';
import { OMNI_CLOSE_CODES } from './close-codes.ts';
import { errorMessage } from './error-event.ts';

const UNAVAILABLE = 503;
const TRY_LATER = 1013;
const SERVER_FAULT = 1011;
/** A caller hears the agent again after this time and one second more. */
const SILENT_AFTER_MS = 1_500;

function closeCodeOf(status: number | null): number {
  if (status === UNAVAILABLE) return TRY_LATER;
  return status !== null && status < 500 ? OMNI_CLOSE_CODES.protocol_violation : SERVER_FAULT;
}

const resumeFields = ({ token, ttlMs, resumed }: CallResume) => ({
  resume: { token, ttl_s: ttlMs / 1000, silent_after_ms: SILENT_AFTER_MS },
  ...(resumed === null ? {} : { resumed: true as const, turn: resumed.turn, played_ms: resumed.playedMs }),
});

export class OmniEventWriter implements CallTransport {
  readonly #socket: Socket;
  #callId: string;
  readonly #rate: CallRate;

  constructor(socket: Socket, callId: string, rate: CallRate) {
    this.#socket = socket;
    this.#callId = callId;
    this.#rate = rate;
  }

  sendError(code: ErrorCode, message: string, param: string | null, node: string | null = null): void {
    this.#event(errorMessage(code, message, param, node));
  }

  /** The connection continues another call after a resume. */
  goesOnWith(callId: string): void {
    this.#callId = callId;
  }

  acknowledge(configured: CallConfiguration, resume?: CallResume): void {
    this.#event({
      event: 'configured',
      call_id: this.#callId,
      language_active: configured.language,
      language_fallback: configured.languageFallback,
      voice_id: configured.voice.id,
      voice_tier: configured.voice.tier,
      voice_gave_way: configured.usesVoiceUnderLoad,
      format: 'pcm16',
      rate: this.#rate,
      ...(resume === undefined ? {} : resumeFields(resume)),
    });
    this.complainAll(configured.warnings);
  }

  complainAll(complaints: readonly ConfigurationWarning[]): void {
    for (const { code, message, param } of complaints) this.sendError(code, message, param);
  }

  toolCall({ callId, name, arguments: args, timeoutMs }: ToolInvocation): void {
    this.#event({ event: 'tool_call', call_id: callId, name, arguments: args, timeout_ms: timeoutMs });
  }

  captured(
    slot: string,
    kind: string,
    { value, confidence, confirmed, attempts, record }: CapturedValue,
  ): void {
    const id = record?.id === undefined ? {} : { record_id: record.id };
    this.#event({ event: 'captured', slot, kind, value, confidence, confirmed, attempts, ...id });
  }

  captureFailed(slot: string, reason: CaptureFailure): void {
    this.#event({ event: 'capture_failed', slot, reason });
  }

  languageChanged({ from, to, reason, turnId }: LanguageChange): void {
    this.#event({ event: 'language_changed', from, to, reason, turn_id: turnId });
  }

  flowNode(node: string, from: string | null): void {
    this.#event({ event: 'flow_node', node, from });
  }

  pong(): void {
    this.#event({ event: 'pong' });
  }

  sendKeys(digits: string): void {
    this.#event({ event: 'send_keys', digits });
  }

  transfer(to: string, summary: string, manner?: TransferManner): void {
    const how =
      manner === undefined
        ? {}
        : { kind: manner.kind, also: manner.also, wait_seconds: manner.waitSeconds, agent: manner.agent };
    this.#event({ event: 'hand_over', to, summary, ...how });
  }

  speech(kind: 'started' | 'stopped', atMs: number): void {
    this.#event({ event: `speech_${kind}`, at_ms: Math.max(0, Math.round(atMs)) });
  }

  sendEnded(reason: EndReason, durationMs: number): void {
    this.#event({ event: 'ended', reason, duration_s: durationMs / 1000 });
  }

  audio(pcm: Uint8Array): void {
    this.#socket.send(omni.audioFrame(pcm));
  }

  transcript({ role, turnId, text, final }: Parameters<CallTransport['transcript']>[0]): void {
    this.#socket.send(omni.transcriptFrame({ role, turn_id: turnId, text, final }));
  }

  bargeIn(turnId: number, playedMs: number): void {
    this.#event({ event: 'barge_in', turn_id: turnId, played_ms: playedMs, alias: 'flush' });
  }

  turn(turnId: number, latency: TurnLatency): void {
    this.#event({ event: 'turn', turn_id: turnId, latency_ms: latency });
  }

  ended(reason: EndReason, durationMs: number): void {
    this.sendEnded(reason, durationMs);
    this.#socket.close(OMNI_CLOSE_CODES[reason], reason);
  }

  failed(code: ErrorCode | null, status: number | null): void {
    this.#socket.close(closeCodeOf(status), code ?? 'engine_failed');
  }

  #event(event: omni.ServerEvent): void {
    this.#socket.send(omni.controlFrame(event));
  }
}
