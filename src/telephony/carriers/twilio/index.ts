export type { TwilioAccount } from './rest.ts';
export { signatureOf } from './signature.ts';
export {
  MANAGED_STREAM_PATH,
  STATUS_PATH,
  TwilioCarrier,
  type TwilioOptions,
  VOICE_PATH,
} from './twilio-carrier.ts';
