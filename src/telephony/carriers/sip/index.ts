export { lackingForSip } from './program.ts';
export { SipRegistrar, type Telephones } from './registrar.ts';
export type { Registration } from './registrations.ts';
export { RtpLeg, type RtpLegListener } from './rtp-leg.ts';
export { type SipConfig, type SipSettings, sipSettings } from './settings.ts';
export { SipCarrier, type SipCarrierOptions } from './sip-carrier.ts';
