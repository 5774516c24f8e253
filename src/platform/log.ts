import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

const HIDDEN = '[secret]';

/** What may carry a credential in an object that somebody logs. */
const PATHS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'api_key',
  'apiKey',
  '["x-api-key"]',
  '["set-cookie"]',
  '["sec-websocket-protocol"]',
].flatMap((name) =>
  name.startsWith('[') ? [name, `*${name}`, `*.*${name}`] : [name, `*.${name}`, `*.*.${name}`],
);

const KEY = /svc_(live|test|tok|ses)_[A-Za-z0-9_-]+/g;
const QUERY = /([?&](?:api_key|token|access_token|signature)=)[^&\s"#]+/g;
const BEARER = /(Bearer\s+)[^\s"\\]+/gi;
const SUBPROTOCOL = /svc-key\.[^\s",\\]+/g;

/** Takes keys, bearer tokens and signed query values out of any text: the net under the redaction by path. */
export const scrub = (text: string): string =>
  text
    .replace(KEY, `svc_$1_${HIDDEN}`)
    .replace(SUBPROTOCOL, `svc-key.${HIDDEN}`)
    .replace(QUERY, `$1${HIDDEN}`)
    .replace(BEARER, `$1${HIDDEN}`);

/** JSON lines on standard output, or on `destination`. */
export function createLog(options: { level: string; destination?: DestinationStream }): Log {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: PATHS, censor: HIDDEN },
      hooks: { streamWrite: scrub },
    },
    options.destination ?? pino.destination(1),
  );
}
