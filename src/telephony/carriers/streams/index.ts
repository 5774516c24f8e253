/** Sound over WebSocket, as this server takes it: the carriers' media-stream protocol, and Asterisk's own. */
export { AsteriskStream } from './asterisk-stream.ts';
export { CarrierStream, type StreamListener, type StreamStart } from './carrier-stream.ts';
export { EchoEar, type OpenEchoEar } from './echo-ear.ts';
export { type DockListener, StreamDock, TOKEN_PARAMETER } from './stream-dock.ts';
export { StreamLeg, type TextWire } from './stream-leg.ts';
export { SwitchLeg } from './switch-leg.ts';
