export { AsteriskStream } from './asterisk-stream.ts';
export { CarrierStream, type StreamListener, type StreamStart } from './carrier-stream.ts';
export { EchoMeter, type OpenEchoMeter } from './echo-meter.ts';
export { type PendingStreamListener, PendingStreams, TOKEN_PARAMETER } from './pending-streams.ts';
export { ReconnectingStreamLeg } from './reconnecting-stream-leg.ts';
export {
  exotelDialect,
  plivoDialect,
  type StreamDialect,
  telnyxDialect,
  twilioDialect,
  vonageDialect,
} from './stream-dialect.ts';
export { StreamLeg, type TextSocket } from './stream-leg.ts';
