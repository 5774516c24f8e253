/** Simulates a caller with a clock over a named protocol and measures to the millisecond when audio was played. */

export {
  CallRefusedError,
  type CallTransport,
  type CallTransportListener,
  type ControlEvent,
  type TranscriptPiece,
} from './call-transport.ts';
export * from './conversation.ts';
export * from './line-audio.ts';
export type { EchoPath, UplinkQuality } from './microphone.ts';
export { type PlayedAudio, PlayoutBuffer, type PlayoutGap } from './playout-buffer.ts';
export { SeededRandom } from './seeded-random.ts';
export { SimulatedCaller } from './simulated-caller.ts';
export {
  median,
  percentile,
  percentileInterval,
  type RunStatistics,
  repeatInterleaved,
  repeatRuns,
  shareInterval,
  summarize,
} from './statistics.ts';
export { type CarrierStreamAddress, CarrierTransport } from './transports/carrier.ts';
export { OmniTransport } from './transports/omni.ts';
export { type RealtimeSound, RealtimeTransport } from './transports/realtime.ts';
export { TwilioTransport } from './transports/twilio.ts';
