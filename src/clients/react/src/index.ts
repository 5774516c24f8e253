export { CallButton, type CallButtonProps } from './call-button.js';
export { type Call, type CallOptions, type CallState, useCall } from './use-call.js';
export type { CallEvent, Session, Transport } from './widget.js';
