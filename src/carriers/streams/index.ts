/** The carriers' media-stream protocol, as this server takes it. */
export { CarrierStream, type StreamListener, type StreamStart } from './carrier-stream.ts';
export { type DockListener, StreamDock, TOKEN_PARAMETER } from './stream-dock.ts';
export { StreamLeg, type TextWire } from './stream-leg.ts';
export { SwitchLeg } from './switch-leg.ts';
