import Type from 'typebox';
import { sendRequest, signedRequest } from '../../../foundation/webhooks/index.ts';
import { adapter, demandUrl } from './adapter.ts';

/** Sends the signed envelope itself. */
export const webhook = adapter({
  settings: Type.Object({}, { additionalProperties: false }),
  secrets: [],
  address: (url, _settings, outside) => demandUrl(url, outside),
  deliver: (parcel, { url }, { gate }, signal) => sendRequest(gate, signedRequest(url, parcel), signal),
});
