export const HIDDEN = '[secret]';

const KEY = /svc_(live|test|tok|ses)_[A-Za-z0-9_-]+/g;
const QUERY = /([?&](?:api_key|token|access_token|signature)=)[^&\s"#]+/g;
const BEARER = /(Bearer\s+)[^\s"\\]+/gi;
const SUBPROTOCOL = /svc-key\.[^\s",\\]+/g;

/** Takes the credentials that this product issues out of a text that somebody is shown: an unknown path or a wrong
 * value may hold one. */
export const scrubKeys = (text: string): string =>
  text.replace(KEY, `svc_$1_${HIDDEN}`).replace(SUBPROTOCOL, `svc-key.${HIDDEN}`);

/** Takes keys, bearer tokens and signed query values out of any text: the net under the redaction by path. */
export const scrub = (text: string): string =>
  scrubKeys(text).replace(QUERY, `$1${HIDDEN}`).replace(BEARER, `$1${HIDDEN}`);
