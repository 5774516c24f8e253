import type { AccessControl, Admission } from '../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError, ERRORS } from '../../../foundation/platform/errors.ts';
import { type amd, carrier } from '../../../media/wire/index.ts';
import type { AmdSettingsStore } from '../../../products/amd/index.ts';
import {
  carrierAnswer,
  LiveDetection,
  type LiveDetectionDeps,
  type LiveDetectionOrder,
} from '../../../speech/amd/index.ts';
import type { Socket, SocketHandler, SocketRequest } from '../../server/surface.ts';
import { checkFormat, readParameters } from './parameters.ts';

export interface AmdStreamDeps extends LiveDetectionDeps {
  readonly access: AccessControl;
  readonly clock: Clock;
  readonly settings: AmdSettingsStore;
}

type AmdStreamRequest = Pick<SocketRequest, 'principal' | 'identify' | 'query'>;
type StartMessage = carrier.CarrierMessage & { event: 'start' };

/** The timeout covers `start` and the key in it. */
const START_TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;
/** Messages that arrive during the key lookup are queued; the limit is three seconds of audio. */
const MAX_PENDING_BYTES = 150;

type AmdStreamState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'opening'; readonly waiting: Uint8Array[] }
  | { readonly kind: 'live'; readonly call: LiveDetection }
  | { readonly kind: 'over' };

export class AmdStreamSession implements SocketHandler {
  readonly #deps: AmdStreamDeps;
  readonly #socket: Socket;
  readonly #request: AmdStreamRequest;
  #state: AmdStreamState = { kind: 'waiting' };
  #closed = false;
  #stopTimer: () => void;

  constructor(deps: AmdStreamDeps, socket: Socket, request: AmdStreamRequest) {
    this.#deps = deps;
    this.#socket = socket;
    this.#request = request;
    this.#stopTimer = deps.clock.after(START_TIMEOUT_MS, () => this.#noStart());
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (isBinary) {
      this.#fail(
        new ApiError(
          'invalid_request',
          'A media stream only accepts text messages; a binary message was received.',
        ),
        1008,
      );
      return;
    }
    const state = this.#state;
    if (state.kind === 'opening') {
      if (state.waiting.length < MAX_PENDING_BYTES) state.waiting.push(data.slice());
      return;
    }
    if (state.kind === 'live') {
      this.#keepAlive();
      if (state.call.pushCarrierJson(data) !== 'not_media') return;
    }
    this.#take(carrier.readCarrierMessage(data));
  }

  onOversizedFrame(limit: number): void {
    this.#fail(new ApiError('payload_too_large', `A message can have at most ${limit} bytes.`), 1009);
  }

  /** A call in progress gets its verdict, which takes only seconds. */
  onServerDraining(msLeft: number): void {
    if (this.#state.kind !== 'live') this.#end(1001, 'the server drains');
    else this.#deps.clock.after(Math.max(0, msLeft - 1000), () => this.#giveUp());
  }

  onClosed(): void {
    this.#closed = true;
    this.#stopTimer();
    this.#giveUp();
  }

  #take(message: carrier.CarrierMessage | null): void {
    if (message === null) {
      this.#fail(
        new ApiError(
          'invalid_request',
          'The message is not a media stream message: expected JSON with event connected, start, media, mark, dtmf or stop.',
        ),
        1008,
      );
    } else if (message.event === 'stop') {
      this.#stopped();
    } else if (message.event === 'start' && this.#state.kind === 'waiting') {
      void this.#open(message);
    } else if (message.event === 'start') {
      const text = 'The stream has already started; a stream gets only one verdict.';
      this.#notify(new ApiError('invalid_request', text, { param: 'start' }));
    }
  }

  async #open(message: StartMessage): Promise<void> {
    const waiting: Uint8Array[] = [];
    this.#state = { kind: 'opening', waiting };
    let admission: Admission | null = null;
    try {
      checkFormat(message.start);
      const principal = await this.#request.identify(message.start.customParameters?.api_key);
      const settings = await this.#deps.settings.get(tenantScopeOf(principal));
      const parameters = readParameters(message.start, this.#request.query, settings);
      admission = await this.#deps.access.admit(principal, 'amd.detection', { realtime: true });
      if (this.#closed) return await admission.release();
      const call = await this.#judge(message, {
        ...parameters,
        principal,
        codec: 'ulaw' as const,
        streamSid: message.streamSid,
        callSid: message.start.callSid ?? null,
        partOf: null,
        admission,
        webhookUrl: settings.webhook_url,
      });
      if (this.#closed) return call.abandon();
      this.#state = { kind: 'live', call };
      this.#keepAlive();
      for (const data of waiting) this.onMessage(data, false);
    } catch (error) {
      await admission?.release();
      this.#fail(apiErrorOf(error), closeCodeOf(apiErrorOf(error)));
      if (!(error instanceof ApiError)) this.#deps.log.error({ err: error }, 'a stream could not be opened');
    }
  }

  async #judge({ streamSid }: StartMessage, asked: LiveDetectionOrder): Promise<LiveDetection> {
    const call: LiveDetection = await LiveDetection.begin(this.#deps, asked, {
      verdict: ({ answeredBy, reason, confidence, atMs }, transcript) =>
        this.#send({
          event: 'amd',
          streamSid,
          call_id: call.id,
          answered_by: answeredBy,
          answered_by_twilio: carrierAnswer(answeredBy),
          reason,
          confidence,
          at_ms: atMs,
          transcript,
        }),
      messageEnd: ({ kind, atMs }) =>
        this.#send({
          event: 'amd_message_end',
          streamSid,
          call_id: call.id,
          kind,
          at_ms: atMs,
          answered_by_twilio: `machine_end_${kind}`,
        }),
      update: ({ from, to, atMs, reason }) =>
        this.#send({ event: 'amd_update', streamSid, call_id: call.id, from, to, at_ms: atMs, reason }),
      over: (status) => this.#judged(status === 'ok'),
    });
    return call;
  }

  /** The socket stays open until the carrier closes it, because a stream must not end before its call. */
  #judged(well: boolean): void {
    const hungUp = this.#state.kind === 'over';
    this.#state = { kind: 'over' };
    if (!well) this.#fail(new ApiError('internal_error', 'The engine closed the lane of this stream.'), 1011);
    else if (hungUp) this.#end(1000, 'stopped');
  }

  /** The carrier ended the call: the verdict still uses the audio received so far. */
  #stopped(): void {
    if (this.#state.kind !== 'live') {
      this.#end(1000, 'stopped');
      return;
    }
    const { call } = this.#state;
    this.#state = { kind: 'over' };
    call.hangUp();
  }

  #giveUp(): void {
    if (this.#state.kind === 'live') this.#state.call.stop();
    this.#state = { kind: 'over' };
  }

  #noStart(): void {
    if (this.#request.principal === null) {
      this.#fail(
        new ApiError('missing_api_key', 'No start message with an api_key was received within 10 s.'),
        4401,
      );
    } else {
      this.#fail(
        new ApiError('invalid_request', 'No start message was received within 10 s.', { param: 'start' }),
        1008,
      );
    }
  }

  #fail(error: ApiError, code: number): void {
    if (this.#closed) return;
    this.#notify(error);
    this.#giveUp();
    this.#end(code, error.code);
  }

  #end(code: number, reason: string): void {
    this.#stopTimer();
    this.#state = { kind: 'over' };
    this.#socket.close(code, reason);
  }

  #keepAlive(): void {
    this.#stopTimer();
    this.#stopTimer = this.#deps.clock.after(IDLE_MS, () => {
      this.#giveUp();
      this.#end(1000, 'no audio for 60 s');
    });
  }

  #notify({ code, message, param }: ApiError): void {
    this.#send({ event: 'error', error: { message, type: ERRORS[code].type, code, param: param ?? null } });
  }

  #send(message: amd.ServerMessage): void {
    if (!this.#closed) this.#socket.send(JSON.stringify(message));
  }
}

const apiErrorOf = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError('internal_error', 'The stream could not be opened.');

function closeCodeOf({ status, code }: ApiError): number {
  if (code === 'capacity') return 1013;
  if (status === 401) return 4401;
  if (status === 403) return 4403;
  if (status === 402 || status === 429) return 4429;
  return status >= 500 ? 1011 : 1008;
}
