import {
  type CallerConnection,
  type CallTransport,
  callUseOf,
  LiveCall,
  type LiveCallDeps,
} from '../../../conversation/calls/index.ts';
import type { EndReason } from '../../../conversation/session/index.ts';
import type { AccessControl, Admission, Principal } from '../../../foundation/access/contract.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import type { omni } from '../../../media/wire/index.ts';
import { LISTENER_CLOSES } from './close-codes.ts';
import { sessionLabelFor } from './connect.ts';
import { PacedAudioQueue } from './paced-audio-queue.ts';
import { AudioRateLimiter } from './rate-limits.ts';

export interface CallGatewayDeps extends LiveCallDeps {
  readonly access: AccessControl;
}

export class CallGateway {
  readonly #deps: CallGatewayDeps;

  constructor(deps: CallGatewayDeps) {
    this.#deps = deps;
  }

  async admit(principal: Principal, label: string | null): Promise<AdmittedCall> {
    const { access } = this.#deps;
    const sessionLabel = sessionLabelFor(principal, label);
    const admission = await access.admit(principal, callUseOf(principal), { realtime: true });
    return new AdmittedCall(this.#deps, { principal, sessionLabel, admission });
  }
}

interface Admitted {
  readonly principal: Principal;
  readonly sessionLabel: string | null;
  readonly admission: Admission;
}

class AdmittedCall {
  readonly callId = newId('ocl');
  readonly #deps: CallGatewayDeps;
  readonly #admitted: Admitted;

  constructor(deps: CallGatewayDeps, admitted: Admitted) {
    this.#deps = deps;
    this.#admitted = admitted;
  }

  begin(
    how: Pick<CallerConnection, 'rate' | 'endpointingMs' | 'idle'>,
    transport: CallTransport,
  ): GatewayCall {
    const onNotBegun = () => this.#restore();
    const caller = { ...this.#admitted, ...how, callId: this.callId, hearsKeys: true, onNotBegun };
    return new GatewayCall(this.#deps, caller, transport);
  }

  abandon(): void {
    void this.#admitted.admission.release();
    this.#restore();
  }

  #restore(): void {
    const { access, log } = this.#deps;
    access
      .restore(this.#admitted.principal)
      .catch((err: unknown) =>
        log.error({ err }, 'a browser token could not be released after its session failed to open'),
      );
  }
}

class GatewayCall {
  readonly #call: LiveCall;
  readonly #backlog: PacedAudioQueue;
  #left: EndReason | null = null;

  constructor(deps: CallGatewayDeps, caller: CallerConnection, transport: CallTransport) {
    this.#backlog = new PacedAudioQueue({
      clock: deps.clock,
      rateLimiter: new AudioRateLimiter(deps.clock, caller.rate),
      bytesPerSecond: 2 * caller.rate,
      forward: (pcm) => this.#call.audio(pcm),
    });
    this.#call = new LiveCall(deps, caller, transport);
  }

  get controls(): LiveCall['controls'] {
    return this.#call.controls;
  }

  heard(pcm: Uint8Array): boolean {
    const { phase } = this.#call;
    return phase === 'ending' || phase === 'over' || this.#backlog.add(pcm);
  }

  configure(message: omni.Configuration): void {
    this.#call.configure(message);
  }

  end(reason: EndReason): void {
    this.#call.end(reason);
  }

  closing(code: number): void {
    this.#left = LISTENER_CLOSES[code] ?? 'client_gone';
    this.#call.stop(this.#left);
  }

  closed(): void {
    this.#backlog.clear();
    this.#call.end(this.#left ?? 'client_gone');
  }
}
