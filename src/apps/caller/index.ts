/** A caller with a clock: speaks to an agent by a named protocol, and knows to the millisecond what was heard when. */
export { Caller } from './caller.ts';
export { Chance } from './chance.ts';
export * from './conversation.ts';
export { type Break, Ear, type Heard } from './ear.ts';
export type { Echo, LineQuality } from './mouth.ts';
export {
  median,
  percentile,
  percentileInterval,
  repeat,
  repeatTogether,
  type Sample,
  shareInterval,
  summarize,
} from './sample.ts';
export * from './sound.ts';
export { type Control, Refused, type Said, type Wire, type WireListener } from './wire.ts';
export { type CarrierStreamAddress, CarrierWire } from './wires/carrier.ts';
export { OmniWire } from './wires/omni.ts';
export { type RealtimeSound, RealtimeWire } from './wires/realtime.ts';
export { TwilioWire } from './wires/twilio.ts';
