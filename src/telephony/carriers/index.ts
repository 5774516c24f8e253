export {
  CARRIER_NAMES,
  type CallOrder,
  type Capability,
  type Carrier,
  type CarrierCall,
  CarrierError,
  type CarrierName,
  type CarrierNumbers,
  type DirectionStats,
  type IncomingCall,
  type IncomingCallHandler,
  type LegEnd,
  type LegListener,
  type LegState,
  type MediaFormat,
  type MediaLeg,
  type MediaSink,
  type MediaStats,
  type NumberQuery,
  type NumberType,
  type OfferedNumber,
  type ProvisionedNumber,
  type RejectReason,
} from './contract.ts';
export {
  LoopbackCarrier,
  readNetwork,
  Scenario,
  ScenarioSounds,
  type SpeakText,
  type TrialCall,
} from './loopback/index.ts';
export * from './messages/index.ts';
export {
  lackingForSip,
  RtpLeg,
  type RtpLegListener,
  SipCarrier,
  type SipCarrierOptions,
  type SipConfig,
  sipSettings,
} from './sip/index.ts';
export {
  AsteriskStream,
  CarrierStream,
  EchoMeter,
  type OpenEchoMeter,
  PendingStreams,
  type StreamListener,
  type StreamStart,
} from './streams/index.ts';
export { music, silence, tone } from './tones.ts';
export {
  MANAGED_STREAM_PATH,
  STATUS_PATH,
  signatureOf,
  TwilioCarrier,
  type TwilioOptions,
  VOICE_PATH,
} from './twilio/index.ts';
