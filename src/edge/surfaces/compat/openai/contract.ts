import type { CallerConnection, CallTransport, LiveCall } from '../../../../conversation/calls/index.ts';
import type { Principal } from '../../../../foundation/access/contract.ts';
import type { Socket } from '../../../server/surface.ts';

export interface GatewayCall extends Pick<LiveCall, 'controls' | 'configure' | 'end'> {
  heard(pcm: Uint8Array): boolean;
  closing(code: number): void;
  closed(): void;
}

export interface AdmittedCall {
  readonly callId: string;
  begin(
    how: Pick<CallerConnection, 'rate' | 'endpointingMs' | 'idle'>,
    transport: CallTransport,
  ): GatewayCall;
  abandon(): void;
}

export interface CallGateway {
  admit(principal: Principal, label: string | null): Promise<AdmittedCall>;
}

/** The audio of a call by WebRTC; events take its data channel. */
export interface PeerSound {
  /** PCM16 at the call's rate. */
  send(pcm: Uint8Array): void;
  clear(): void;
}

export interface PeerLine {
  readonly peer: PeerSound;
  readonly rate: 8000 | 24_000;
  readonly socket: Socket;
  readonly hasChannel: boolean;
}

export interface PeerSession {
  heard(pcm: Uint8Array): void;
  pressed(digit: string): void;
  onMessage(data: Uint8Array, isBinary: boolean): void;
  onClosing(code: number): void;
  onClosed(): void;
}

export interface PeerGateway {
  /** Answers the offer with SDP; the session opens once the peers are connected, and is abandoned otherwise. */
  answer(offer: {
    readonly principal: Principal;
    readonly sdp: string;
    readonly presented: string;
    readonly callId: string;
    openSession(line: PeerLine): PeerSession;
    abandon(): void;
  }): Promise<string>;
  hangUp(principal: Principal, callId: string): boolean;
}

export type Recognize = (
  principal: Principal,
  sound: { readonly pcm: Buffer; readonly rate: number; readonly language: string | null },
  signal: AbortSignal,
) => Promise<string>;
