export {
  CARRIER_NAMES,
  type CallOrder,
  type Capability,
  type Carrier,
  type CarrierCall,
  CarrierFault,
  type CarrierName,
  type CarrierNumbers,
  type DirectionStats,
  type IncomingCall,
  type IncomingTaker,
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
} from './door.ts';
export {
  LoopbackCarrier,
  readNetwork,
  Scenario,
  Sounds,
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
  EchoEar,
  type OpenEchoEar,
  StreamDock,
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
