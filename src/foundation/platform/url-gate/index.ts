export { isLoopbackAddress, isPublicAddress } from './address.ts';
export { type GateNetwork, realNetwork } from './connect.ts';
export { type GateRequest, type GateResponse, UrlGate, type UrlGateOptions } from './gate.ts';
export { GateError, type GateReason, isLoopbackHost, MAX_URL_CHARACTERS, mayReach } from './policy.ts';
export { socketMessages } from './socket-messages.ts';
