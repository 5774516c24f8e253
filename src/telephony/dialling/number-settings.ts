import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import {
  checkMerged,
  mergePatch,
  mergePatchOf,
  nestedPatchesOf,
} from '../../foundation/platform/merge-patch.ts';
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
    description:
      'What happens if no agent can handle the call. `voicemail` applies to incoming calls and uses the `voicemail` settings.',
  }),
  to: Type.Optional(
    Type.String({
      pattern: '^\\+[1-9][0-9]{6,14}$',
      description: 'For `transfer`: the phone number in E.164 format.',
    }),
  ),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1000, description: 'For `message`: the text that is spoken.' }),
  ),
});

export const Route = closed({
  kind: Type.Enum(['agent', 'url', 'forward', 'voicemail'], {
    description:
      '`agent`: the number’s agent answers. `url`: your URL decides while the call rings. `forward`: the carrier connects the caller to another number. `voicemail`: the caller hears a greeting and leaves a message.',
  }),
  url: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2048, description: 'For `url`: the URL to request.' }),
  ),
  to: Type.Optional(
    Type.String({
      pattern: '^(\\+[1-9][0-9]{6,14}|sips?:[!-~]{1,240})$',
      description: 'For `forward`: a phone number in E.164 format, or a SIP address if the carrier is `sip`.',
    }),
  ),
});

export const Voicemail = closed({
  greeting: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Spoken before the tone. Defaults to a greeting in the language of the number’s agent.',
    }),
  ),
  max_duration_s: Type.Optional(
    Type.Integer({
      minimum: 5,
      maximum: 300,
      default: 120,
      description: 'The maximum length of a message in seconds.',
    }),
  ),
  silence_s: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 30,
      default: 5,
      description:
        'Seconds of silence that end a message, also before the first word. The key # ends it as well.',
    }),
  ),
});

const QuietHours = closed({
  from: TimeOfDay,
  to: TimeOfDay,
  time_zone: Type.String({
    maxLength: 64,
    description: 'The time zone of the quiet hours, which apply to outbound calls.',
  }),
});

export const NumberSettings = closed({
  consent_line: Type.String({
    maxLength: 1000,
    description: 'Spoken first; it replaces the agent’s own consent line.',
  }),
  amd: nullable(Amd),
  quiet_hours: nullable(QuietHours),
  daily_spend_micros: nullable(
    Type.Integer({ minimum: 0, description: 'The maximum cost of calls from this number per UTC day.' }),
  ),
  caller_id: nullable(
    Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$', description: 'The number shown to the called party.' }),
  ),
  fallback: Fallback,
  route: Route,
  voicemail: Voicemail,
  record_after_transfer: Type.Boolean({
    description:
      'Whether an agent’s recording continues while the parties of a warm transfer talk over this server. If false, it ends when the agent leaves.',
  }),
  webhook_url: nullable(
    Type.String({ maxLength: 2048, description: 'The URL that receives the events of the number’s calls.' }),
  ),
});
export type NumberSettings = Static<typeof NumberSettings>;

const NESTED = {
  amd: Amd,
  quiet_hours: QuietHours,
  fallback: Fallback,
  route: Route,
  voicemail: Voicemail,
} as const;
const NESTED_NAMES = Object.keys(NESTED) as (keyof typeof NESTED)[];
export const NumberSettingsChange = mergePatchOf({
  ...NumberSettings.properties,
  ...nestedPatchesOf(NESTED),
});
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
export function changed(before: NumberSettings, change: NumberSettingsChange | null = {}): NumberSettings {
  if (change === null) return DEFAULT_SETTINGS;
  const after = mergePatch(before, change, DEFAULT_SETTINGS, NESTED_NAMES);
  checkMerged(after, NESTED, 'settings.');
  return after;
}
