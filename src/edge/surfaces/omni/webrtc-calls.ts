import { createHash } from 'node:crypto';
import { callUseOf, type LiveCallDeps } from '../../../conversation/calls/index.ts';
import type { AccessControl, Principal } from '../../../foundation/access/contract.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import type { WebRtcService } from '../../../telephony/webrtc/index.ts';
import type { ComponentHealth } from '../../server/surface.ts';
import { sessionLabelFor } from './connect.ts';
import { openOmniPeer, type PeerLine, type PeerSession, WebRtcCall } from './webrtc-call.ts';

export interface WebRtcCallsDeps extends LiveCallDeps {
  readonly access: AccessControl;
  readonly webrtc: WebRtcService;
}

export interface WebRtcOffer {
  readonly principal: Principal;
  readonly sdp: string;
  readonly label: string | null;
  readonly presented: string;
}

/** A call whose admission was granted elsewhere, with the session that talks on it. */
export interface AdmittedOffer {
  readonly principal: Principal;
  readonly sdp: string;
  readonly presented: string;
  readonly callId: string;
  openSession(line: PeerLine): PeerSession;
  abandon(): void;
}

const GOING_AWAY = 1001;
const DRAIN_POLL_MS = 50;
const FINAL_RESULTS_MS = 500;

export class WebRtcCalls {
  readonly #deps: WebRtcCallsDeps;
  readonly #calls = new Map<string, WebRtcCall>();

  constructor(deps: WebRtcCallsDeps) {
    this.#deps = deps;
  }

  health(): ComponentHealth {
    const { off } = this.#deps.webrtc;
    return { name: 'webrtc', ready: off === null, required: false, ...(off === null ? {} : { detail: off }) };
  }

  /** Answers the offer; the call starts once the peers are connected. */
  async open({ principal, label, ...offer }: WebRtcOffer): Promise<{ callId: string; sdp: string }> {
    const { access, log } = this.#deps;
    const sessionLabel = sessionLabelFor(principal, label);
    const admission = await access.admit(principal, callUseOf(principal), { realtime: true });
    const callId = newId('ocl');
    const onNotBegun = () => {
      access
        .restore(principal)
        .catch((err: unknown) =>
          log.error({ err }, 'a browser token could not be released after its session failed to open'),
        );
    };
    const about = { callId, principal, admission, sessionLabel, onNotBegun };
    const sdp = await this.answer({
      ...offer,
      callId,
      principal,
      openSession: (line) => openOmniPeer(this.#deps, about, line),
      abandon: () => {
        void admission.release();
        onNotBegun();
      },
    });
    return { callId, sdp };
  }

  async answer({ sdp, presented, ...admitted }: AdmittedOffer): Promise<string> {
    const { access, webrtc } = this.#deps;
    const { callId } = admitted;
    const caller = { ...admitted, credential: hashed(presented) };
    const call = new WebRtcCall(access.watchRevocation.bind(access), caller, () =>
      this.#calls.delete(callId),
    );
    try {
      const described = await webrtc.answer(sdp, call);
      call.described(described);
      this.#calls.set(callId, call);
      return described.sdp;
    } catch (error) {
      call.abandon();
      throw error;
    }
  }

  /** Ends a call of the principal's tenant; false means that it has none with this id. */
  hangUp(principal: Principal, callId: string): boolean {
    const call = this.#calls.get(callId);
    if (call === undefined || !isSameTenant(principal, call.caller.principal)) return false;
    call.hangUp();
    return true;
  }

  find(callId: string, presented: string): WebRtcCall | null {
    const call = this.#calls.get(callId);
    return call?.caller.credential === hashed(presented) ? call : null;
  }

  /** Calls may end by themselves until shortly before the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    const { clock } = this.#deps;
    const until = clock.monotonic() + Math.max(0, deadlineMs - FINAL_RESULTS_MS);
    while (this.#calls.size > 0 && clock.monotonic() < until) await withTimeout(clock, DRAIN_POLL_MS);
    for (const call of this.#calls.values()) call.closeGracefully(GOING_AWAY);
    const last = clock.monotonic() + FINAL_RESULTS_MS;
    while (this.#calls.size > 0 && clock.monotonic() < last) await withTimeout(clock, DRAIN_POLL_MS);
    await this.#deps.webrtc.stop();
  }
}

/** The hash lets comparison leak nothing about the credential. */
const hashed = (presented: string): string => createHash('sha256').update(presented).digest('hex');

const withTimeout = (clock: LiveCallDeps['clock'], ms: number): Promise<void> =>
  new Promise((resolve) => void clock.after(ms, resolve));

const isSameTenant = (one: Principal, other: Principal): boolean =>
  one.orgId === other.orgId && one.projectId === other.projectId && one.environment === other.environment;
