import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import { mergePatch, mergePatchOf } from '../../foundation/platform/merge-patch.ts';
import { Aggressiveness } from '../../speech/amd/index.ts';
import { AMD_MODES } from './contract.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['21:00'] });
const closed = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });

export const Amd = closed({
  mode: Type.Enum([...AMD_MODES]),
  aggressiveness: Type.Optional(Aggressiveness),
});

export const Fallback = closed({
  kind: Type.Enum(['reject', 'transfer', 'message', 'voicemail'], {
    description: '`voicemail`: of calls that come in; as `voicemail` of the settings says',
  }),
  to: Type.Optional(Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$', description: 'of `transfer`: E.164' })),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1000, description: 'of `message`: what is said' }),
  ),
});

export const Route = closed({
  kind: Type.Enum(['agent', 'url', 'forward', 'voicemail'], {
    description:
      '`agent`: the number’s agent. `url`: your URL is asked while it rings. `forward`: the carrier connects the caller with another number. `voicemail`: the caller is greeted and leaves a message',
  }),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description: 'of `url`' })),
  to: Type.Optional(
    Type.String({
      pattern: '^(\\+[1-9][0-9]{6,14}|sips?:[!-~]{1,240})$',
      description: 'of `forward`: E.164, or a SIP address where the carrier is `sip`',
    }),
  ),
});

export const Voicemail = closed({
  greeting: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Spoken before the tone; without it words in the language of the number’s agent',
    }),
  ),
  max_duration_s: Type.Optional(
    Type.Integer({ minimum: 5, maximum: 300, default: 120, description: 'A message ends after so long' }),
  ),
  silence_s: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 30,
      default: 5,
      description: 'So long a silence ends it, before the first word too; so does the key #',
    }),
  ),
});

export const NumberSettings = closed({
  consent_line: Type.String({
    maxLength: 1000,
    description: 'Spoken first; in the place of the agent’s own',
  }),
  amd: nullable(Amd),
  quiet_hours: nullable(
    closed({
      from: TimeOfDay,
      to: TimeOfDay,
      time_zone: Type.String({ maxLength: 64, description: 'whose hours they are; for calls out' }),
    }),
  ),
  daily_spend_micros: nullable(
    Type.Integer({ minimum: 0, description: 'Calls from this number may cost so much a UTC day' }),
  ),
  caller_id: nullable(
    Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$', description: 'shown to who is called' }),
  ),
  fallback: Fallback,
  route: Route,
  voicemail: Voicemail,
  record_after_transfer: Type.Boolean({
    description:
      'An agent’s recording goes on while the people of a warm transfer talk over this server. Off: it ends with the agent',
  }),
  webhook_url: nullable(Type.String({ maxLength: 2048, description: 'told of its calls' })),
});
export type NumberSettings = Static<typeof NumberSettings>;

export const NumberSettingsChange = mergePatchOf(NumberSettings.properties);
export type NumberSettingsChange = Static<typeof NumberSettingsChange>;

export const DEFAULT_SETTINGS: NumberSettings = {
  consent_line: '',
  amd: null,
  quiet_hours: null,
  daily_spend_micros: null,
  caller_id: null,
  fallback: { kind: 'reject' },
  route: { kind: 'agent' },
  voicemail: {},
  record_after_transfer: false,
  webhook_url: null,
};

export const readSettings = (text: string): NumberSettings => {
  const stored: unknown = { ...DEFAULT_SETTINGS, ...(JSON.parse(text) as object) };
  return Value.Check(NumberSettings, stored) ? stored : DEFAULT_SETTINGS;
};

/** Merges the given settings into the current ones. Null restores the default, of one setting or of all. */
export const changed = (before: NumberSettings, change: NumberSettingsChange | null = {}): NumberSettings =>
  change === null ? DEFAULT_SETTINGS : mergePatch<NumberSettings>(before, change, DEFAULT_SETTINGS);
