import Type from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { carrier } from '../../../media/wire/index.ts';
import {
  Aggressiveness,
  type AmdSettings,
  DEFAULTS,
  MODES,
  type Mode,
  RANGES,
  readAggressiveness,
  type Tunables,
} from '../../../speech/amd/index.ts';

export interface StreamParameters {
  readonly tunables: Tunables;
  readonly language: string | undefined;
  readonly called: string | null;
  readonly externalId: string | null;
}

const LANGUAGES = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt', 'nl'];
const MAX_NAME_LENGTH = 512;
const E164 = /^\+[1-9]\d{5,14}$/;

const milliseconds = ([minimum, maximum]: readonly [number, number]) =>
  Type.Optional(Type.Integer({ minimum, maximum, description: 'In milliseconds.' }));

/** The connect URL accepts the parameters of `start` except the key; the values in `start` take precedence. */
export const StreamQuery = Type.Object({
  aggressiveness: Type.Optional(Aggressiveness),
  mode: Type.Optional(Type.Enum([...MODES])),
  language: Type.Optional(Type.Enum(LANGUAGES)),
  to: Type.Optional(Type.String({ description: 'Phone number in E.164 format.' })),
  external_id: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH })),
  MachineDetection: Type.Optional(Type.Enum(['Enable', 'DetectMessageEnd'])),
  MachineDetectionTimeout: Type.Optional(
    Type.Integer({
      minimum: RANGES.timeoutMs[0] / 1000,
      maximum: RANGES.timeoutMs[1] / 1000,
      description: 'In seconds.',
    }),
  ),
  MachineDetectionSpeechThreshold: milliseconds(RANGES.speechThresholdMs),
  MachineDetectionSpeechEndThreshold: milliseconds(RANGES.speechEndMs),
  MachineDetectionSilenceTimeout: milliseconds(RANGES.silenceTimeoutMs),
});

function queryTextOf(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].filter(([name]) => name in StreamQuery.properties));
}

export function readParameters(
  start: carrier.Start,
  query: URLSearchParams,
  settings: AmdSettings,
): StreamParameters {
  const said = { ...queryTextOf(query), ...start.customParameters };
  const { language } = said;
  if (language !== undefined && !LANGUAGES.includes(language)) {
    throw invalidParameter('language', `language must be one of ${LANGUAGES.join(', ')}.`);
  }
  const called = said.to ?? null;
  if (called !== null && !E164.test(called))
    throw invalidParameter('to', 'to must be a phone number in E.164 format, such as +15005550001.');
  const externalId = said.external_id ?? null;
  if (externalId !== null && (externalId === '' || externalId.length > MAX_NAME_LENGTH))
    throw invalidParameter('external_id', `external_id must have 1 to ${MAX_NAME_LENGTH} characters.`);
  return { tunables: tunablesOf(said, settings), language, called, externalId };
}

function tunablesOf(said: Readonly<Record<string, string>>, settings: AmdSettings): Tunables {
  const speechEndMs = millisecondsOf(said, 'MachineDetectionSpeechEndThreshold', RANGES.speechEndMs);
  return {
    aggressiveness: aggressivenessOf(said.aggressiveness, settings),
    mode: modeOf(said, settings),
    timeoutMs: timeoutOf(said) ?? settings.timeout_ms,
    speechThresholdMs:
      millisecondsOf(said, 'MachineDetectionSpeechThreshold', RANGES.speechThresholdMs) ??
      DEFAULTS.speechThresholdMs,
    ...(speechEndMs === undefined ? {} : { speechEndMs }),
    silenceTimeoutMs:
      millisecondsOf(said, 'MachineDetectionSilenceTimeout', RANGES.silenceTimeoutMs) ??
      DEFAULTS.silenceTimeoutMs,
  };
}

function aggressivenessOf(said: string | undefined, settings: AmdSettings): number {
  if (said === undefined) return settings.aggressiveness;
  const value = readAggressiveness(said);
  if (value === null)
    throw invalidParameter('aggressiveness', 'aggressiveness must be a number from 0 to 1.');
  return value;
}

/** The carrier's own parameter applies when ours is absent. */
function modeOf(said: Readonly<Record<string, string>>, settings: AmdSettings): Mode {
  if (said.mode !== undefined) {
    if (!MODES.includes(said.mode as Mode))
      throw invalidParameter('mode', `mode must be one of ${MODES.join(', ')}.`);
    return said.mode as Mode;
  }
  if (said.MachineDetection === 'DetectMessageEnd') return 'message_end';
  if (said.MachineDetection === 'Enable') return 'detect';
  if (said.MachineDetection === undefined) return settings.mode;
  throw invalidParameter('MachineDetection', 'MachineDetection must be Enable or DetectMessageEnd.');
}

/** The value is in seconds, the carriers' unit. */
function timeoutOf(said: Readonly<Record<string, string>>): number | undefined {
  const [low, high] = RANGES.timeoutMs;
  const seconds = wholeNumber(said, 'MachineDetectionTimeout', low / 1000, high / 1000, 'seconds');
  return seconds === undefined ? undefined : seconds * 1000;
}

const millisecondsOf = (
  said: Readonly<Record<string, string>>,
  name: string,
  [low, high]: readonly [number, number],
): number | undefined => wholeNumber(said, name, low, high, 'milliseconds');

function wholeNumber(
  said: Readonly<Record<string, string>>,
  name: string,
  low: number,
  high: number,
  unit: string,
): number | undefined {
  const text = said[name];
  if (text === undefined) return undefined;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= low && value <= high))
    throw invalidParameter(name, `${name} must be from ${low} to ${high} ${unit}.`);
  return value;
}

const invalidParameter = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });

export function checkFormat({ mediaFormat }: carrier.Start): void {
  if (mediaFormat === undefined) return;
  const { encoding, sampleRate, channels } = mediaFormat;
  if (encoding === 'audio/x-mulaw' && Number(sampleRate) === 8000 && Number(channels) === 1) return;
  throw invalidParameter('mediaFormat', 'mediaFormat must be audio/x-mulaw at 8000 Hz with one channel.');
}
