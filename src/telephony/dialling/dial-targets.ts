import { isIP } from 'node:net';
import { ApiError } from '../../foundation/platform/errors.ts';
import { canonicalNumber } from './phone-numbers.ts';

/** A SIP address (RFC 3261) without headers (`?…`), which a REFER would copy into the call that it requests. */
const SIP_ADDRESS =
  /^sips?:(?:(?<user>[^@?<>"\s,]+)@)?(?<host>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::[0-9]{1,5})?(?:;[a-z0-9-]+(?:=[a-z0-9.-]+)?)*$/i;
/** Longer digits are numbers of the public network. */
const EXTENSION = /^[0-9*#]{1,6}$/;
/** A switch dials these without change. */
const DIALED = /^[0-9*#]+$|^\+/;

/**
 * Returns the E.164 number that a call to the target rings, or null for a name or an extension of a private network.
 * Throws ApiError for an invalid target, and for an ambiguous number.
 */
export function numberBehind(target: string, param: string): string | null {
  if (!/^sips?:/i.test(target)) {
    const number = canonicalNumber(target);
    if (number !== null) return number;
    throw refused(`'${target.slice(0, 64)}' is not a telephone number in E.164 format`, param);
  }
  const parts = SIP_ADDRESS.exec(target)?.groups;
  const host = parts?.host ?? '';
  const isHost = host.startsWith('[') || isIP(host) !== 0 || /[a-z]/i.test(host);
  if (parts === undefined || !isHost) throw refused('It is not a SIP address of a user at a host', param);
  const dialed = dialedOf(parts.user ?? '', param);
  if (!DIALED.test(dialed) || EXTENSION.test(dialed)) return null;
  const number = /^\+[0-9]+$/.test(dialed) ? canonicalNumber(dialed) : null;
  if (number !== null) return number;
  throw refused('A telephone number in a SIP address must be in E.164 format, with the leading +', param);
}

function dialedOf(user: string, param: string): string {
  try {
    const [bare = ''] = decodeURIComponent(user).split(/[;:]/);
    if (/^[!-$&-~ ]*$/.test(bare)) return bare.replace(/[-.() ]/g, '');
  } catch {
    // The percent-encoding is invalid.
  }
  throw refused('The user of a SIP address must be ASCII, percent-encoded once', param);
}

const refused = (what: string, param: string): ApiError =>
  new ApiError('invalid_request', `${what}.`, { param });
