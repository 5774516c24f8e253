export const HIDDEN = '[secret]';

const KEY = /svc_(live|test|tok|ses)_[A-Za-z0-9_-]+/g;
const QUERY = /([?&](?:api_key|token|access_token|signature)=)[^&\s"#]+/g;
const BEARER = /(Bearer\s+)[^\s"\\]+/gi;
const SUBPROTOCOL = /svc-key\.[^\s",\\]+/g;

/** Removes this product's credentials from text that is shown: an unknown path or an invalid value may contain one. */
export const scrubKeys = (text: string): string =>
  text.replace(KEY, `svc_$1_${HIDDEN}`).replace(SUBPROTOCOL, `svc-key.${HIDDEN}`);

/**
 * Removes keys, bearer tokens and signed query values from any text. It is the second line of defence behind the
 * redaction by path.
 */
export const scrub = (text: string): string =>
  scrubKeys(text).replace(QUERY, `$1${HIDDEN}`).replace(BEARER, `$1${HIDDEN}`);
