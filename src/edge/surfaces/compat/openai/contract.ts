import type { CallerConnection, CallLine, LiveCall } from '../../../../conversation/calls/index.ts';
import type { Principal } from '../../../../foundation/access/contract.ts';

export interface GatewayCall extends Pick<LiveCall, 'controls' | 'configure' | 'end'> {
  heard(pcm: Uint8Array): boolean;
  closing(code: number): void;
  closed(): void;
}

export interface AdmittedCall {
  readonly callId: string;
  begin(how: Pick<CallerConnection, 'rate' | 'endpointingMs' | 'idle'>, line: CallLine): GatewayCall;
  abandon(): void;
}

export interface CallGateway {
  admit(principal: Principal, label: string | null): Promise<AdmittedCall>;
}

export type Recognize = (
  principal: Principal,
  sound: { readonly pcm: Buffer; readonly rate: number; readonly language: string | null },
  signal: AbortSignal,
) => Promise<string>;
