import { type Static, Type } from 'typebox';
import { mergePatch, type Patch } from '../../foundation/platform/merge-patch.ts';
import type { Flow } from '../flows/index.ts';
import { LookupSchema, MAX_LOOKUPS } from './lookups.ts';

export const AGENT_LANGUAGES = ['en', 'fr', 'es', 'de', 'hi'] as const;
export const CALL_LANGUAGES = ['en', 'fr', 'es', 'hi'] as const;
export type CallLanguage = (typeof CALL_LANGUAGES)[number];
export const BUILTIN_TOOLS = [
  'end_call',
  'transfer',
  'handoff',
  'switch_language',
  'send_keys',
  'wait_for',
  'capture',
  'remember',
  'send_message',
  'pause_recording',
  'resume_recording',
] as const;
export type BuiltinTool = (typeof BUILTIN_TOOLS)[number];
/** People hear the caller there without the noise of the line. */
export const DENOISED = ['recording', 'transfer'] as const;
export const BARGE_SENSITIVITIES = ['high', 'normal', 'low'] as const;
/** Silence of this length, in milliseconds, ends the caller's turn. */
export const ENDPOINTING = { quick: 300, normal: 500, patient: 900 } as const;
export type Endpointing = keyof typeof ENDPOINTING | number;

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T | null>({ enum: [...values, null], description });

const ids = (prefix: string, most: number) =>
  Type.Array(Type.String({ pattern: `^${prefix}_[0-9A-Za-z]{20}$` }), { maxItems: most });

/** A call uses the language's own wording where the field is absent, and stays silent where it is null. */
const Wording = Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 300 })));

export const AgentPhrasesSchema = Type.Object(
  { thinking: Wording, still_there: Wording, apology: Wording, farewell: Wording, resumed: Wording },
  { additionalProperties: false },
);

export const IdleSchema = Type.Object(
  {
    ask_after_s: Type.Optional(
      Type.Integer({
        minimum: 3,
        maximum: 300,
        description:
          'Seconds of silence before the agent asks whether the caller is still there. Defaults to 20.',
      }),
    ),
    times: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10, description: 'How often the agent asks. Defaults to 3.' }),
    ),
    hang_up: Type.Optional(
      Type.Boolean({ description: 'Whether the agent hangs up after the last question. Defaults to true.' }),
    ),
  },
  { additionalProperties: false },
);

export const AGENT_FIELDS = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  language: oneOf(AGENT_LANGUAGES, 'The language of the agent; null means `en`.'),
  languages: Type.Unsafe<readonly CallLanguage[] | 'auto'>({
    anyOf: [
      { type: 'array', items: { enum: [...CALL_LANGUAGES] }, maxItems: CALL_LANGUAGES.length },
      { enum: ['auto'] },
    ],
    description:
      'Additional caller languages besides `language`, or `auto` for all. The agent identifies the language of each utterance among them and switches to it; `switch_language` also switches between them. With an empty list, the language is not identified and `switch_language` can use every supported call language.',
  }),
  persona: Type.String({ maxLength: 16_000 }),
  greeting: Type.String({ maxLength: 1000, description: 'Spoken as turn 0.' }),
  consent_line: Type.String({
    maxLength: 1000,
    description: 'Spoken before the greeting and repeated until it has been played in full.',
  }),
  recordings_enabled: Type.Boolean(),
  voice_id: nullable(Type.String({ minLength: 1, maxLength: 128 })),
  voice_under_load: nullable(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'A Standard voice that replaces `voice_id` for calls that start while the server is under load; null means none.',
    }),
  ),
  voice_instruct: nullable(
    Type.String({
      maxLength: 200,
      description: 'Instructions on how to speak. No current voice supports them, so any value is rejected.',
    }),
  ),
  barge_sensitivity: Type.Unsafe<string | number>({
    anyOf: [{ enum: [...BARGE_SENSITIVITIES] }, { type: 'number', minimum: -89.9, maximum: -1 }],
    description:
      '`high`, `normal`, `low`, or the level in dBFS below which the caller cannot interrupt the agent.',
  }),
  primary_speaker: Type.Boolean({
    description:
      'Locks calls to the caller’s voice: speech of others neither interrupts the agent nor enters the transcript.',
  }),
  denoise: Type.Array(Type.Enum([...DENOISED]), {
    maxItems: DENOISED.length,
    description:
      'Where people hear the caller without the noise of the line: in the `recording`, and after a `transfer` through this server. The agent and recognition hear the line as it is.',
  }),
  vocabulary: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 200 }),
  lookups: Type.Array(LookupSchema, {
    maxItems: MAX_LOOKUPS,
    description:
      'Your own records that exact values are read against: tables of at most 2,000 rows together, or tools.',
  }),
  extraction_schema: nullable(Type.Record(Type.String(), Type.Unknown())),
  extraction_webhook_url: nullable(Type.String({ maxLength: 2048 })),
  knowledge_base_ids: ids('kb', 20),
  tool_ids: ids('tool', 32),
  builtin_tools: Type.Array(Type.Enum([...BUILTIN_TOOLS]), { maxItems: BUILTIN_TOOLS.length }),
  time_zone: nullable(
    Type.String({ maxLength: 64, description: 'IANA time zone name, such as `Europe/Madrid`.' }),
  ),
  brain: nullable(
    Type.String({
      maxLength: 64,
      description:
        'The name of a language model that the operator has configured, used if your plan permits it.',
    }),
  ),
  voice_provider: nullable(
    Type.String({
      maxLength: 64,
      description:
        'The name of one of your own provider keys, or of a speech service that the operator has configured, or `local` to synthesize all speech on this server.',
    }),
  ),
  recognizer: nullable(
    Type.String({
      maxLength: 64,
      description:
        'The name of one of your own provider keys, or of a recognizer that the operator has configured, used if your plan permits it; `whisper-base` is the built-in recognizer.',
    }),
  ),
  grounding: oneOf(
    ['strict', 'open'],
    'Null means `strict` if a knowledge base is bound, and `open` otherwise.',
  ),
  phrases: AgentPhrasesSchema,
  idle: nullable(IdleSchema),
  max_duration_s: nullable(Type.Integer({ minimum: 10, maximum: 14_400 })),
  call_back_when_lost: Type.Boolean({
    description:
      'Whether the agent calls a caller by telephone back, once, when the server that had the call is lost. The call goes on. The rules of outbound calls apply.',
  }),
  endpointing: Type.Unsafe<Endpointing>({
    anyOf: [{ enum: Object.keys(ENDPOINTING) }, { type: 'integer', minimum: 100, maximum: 3000 }],
    description: '`quick`, `normal`, `patient`, or the silence in milliseconds that ends a turn.',
  }),
  flow: nullable(
    Type.Unsafe<Flow>({
      type: 'object',
      additionalProperties: true,
      description: 'The conversation flow that the engine enforces; GET /v1/flows/schema returns its schema.',
    }),
  ),
  meta: Type.Record(Type.String(), Type.Unknown()),
};

const Whole = Type.Object(AGENT_FIELDS);
export type AgentFields = Static<typeof Whole>;

export const EMPTY_AGENT: Omit<AgentFields, 'name'> = {
  language: 'en',
  languages: [],
  persona: '',
  greeting: '',
  consent_line: '',
  recordings_enabled: false,
  voice_id: null,
  voice_under_load: null,
  voice_instruct: null,
  barge_sensitivity: 'normal',
  primary_speaker: false,
  denoise: [],
  vocabulary: [],
  lookups: [],
  extraction_schema: null,
  extraction_webhook_url: null,
  knowledge_base_ids: [],
  tool_ids: [],
  builtin_tools: [],
  time_zone: null,
  brain: null,
  voice_provider: null,
  recognizer: null,
  grounding: null,
  phrases: {},
  idle: null,
  max_duration_s: null,
  call_back_when_lost: false,
  endpointing: 'normal',
  flow: null,
  meta: {},
};

export type AgentInput = Partial<AgentFields> & { voice?: string | null };
export type AgentBody = AgentInput & { name: string };
/** A null resets its field to the default. */
export type AgentChange = Patch<Omit<AgentFields, 'name' | 'idle' | 'flow'>> & {
  readonly name?: string;
  readonly idle?: Patch<Static<typeof IdleSchema>> | null;
  /** The new flow replaces the old one as a whole. */
  readonly flow?: Flow | null;
  readonly voice?: string | null;
};

const clean = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;

const withLanguage = (fields: AgentFields): AgentFields => ({ ...fields, language: fields.language ?? 'en' });

export const completeFields = (said: Partial<AgentFields> & { name: string }): AgentFields =>
  withLanguage({ ...EMPTY_AGENT, ...clean(said) });

/** Applies a JSON merge patch, also within `phrases`, `idle` and `meta`; null in `phrases` means silence. */
export function applyChange(before: AgentFields, change: Omit<AgentChange, 'voice'>): AgentFields {
  const { phrases, flow, ...others } = change;
  const merged = { ...others, phrases: phrases && { ...before.phrases, ...phrases } };
  const after = mergePatch<AgentFields, 'idle' | 'meta'>(before, merged, EMPTY_AGENT, ['idle', 'meta']);
  return withLanguage(flow === undefined ? after : { ...after, flow });
}
