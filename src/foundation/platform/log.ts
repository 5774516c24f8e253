import { type DestinationStream, type Logger, pino } from 'pino';
import { HIDDEN, scrub } from './scrub.ts';

export type Log = Logger;

/** The logger redacts these paths, because objects that are logged may carry credentials there. */
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
