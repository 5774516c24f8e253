/** Fields that the event does not state are null. */
export interface ProviderCall {
  readonly callId: string;
  readonly ended: boolean;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly direction: 'inbound' | 'outbound' | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly recordingUrl: string | null;
}

export const CALL_EVENTS = ['call.ended', 'call.comm_assets_generated'] as const;
export type CallEvent = (typeof CALL_EVENTS)[number];

/** A delivery is the event as the provider sent it. */
export interface Delivery {
  readonly event: CallEvent;
  /** Unix time in seconds or milliseconds. */
  readonly timestamp: number;
  readonly token: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads a provider's event; throws ApiError where it identifies no call. */
export type Reader = (event: CallEvent, data: Delivery['data']) => ProviderCall;

/** An event is `coalesced` where it adds nothing. */
export type Reception = 'accepted' | 'coalesced';
