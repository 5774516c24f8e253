import type { Reach } from '../access/contract.ts';
import { ApiError } from '../platform/errors.ts';
import { nestsWithin } from '../platform/nesting.ts';
import { GateError, type UrlGate } from '../platform/url-gate/index.ts';
import { checkArgumentSchema } from '../session/index.ts';
import { type CallVoices, refusedUnderLoad } from '../voices/index.ts';
import { type AgentFields, type AgentInput, EMPTY } from './fields.ts';

/** Whether the ids name something of this caller's: the first that does not. */
export type UnknownAmong = (reach: Reach, ids: readonly string[]) => Promise<string | undefined>;

export interface CheckDeps {
  readonly voices: Pick<CallVoices, 'find'>;
  readonly gate: Pick<UrlGate, 'check'>;
  /** Names of the operator's list. */
  readonly brains: readonly string[];
  readonly unknownTool: UnknownAmong;
  /** Absent: this server keeps no knowledge bases, and ids are kept as they are. */
  readonly unknownKnowledgeBase?: UnknownAmong;
}

const MAX_LEVELS = 32;
const MAX_META_CHARACTERS = 16_000;

const wrong = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });

/** `voice` is another name of `voice_id`. Throws where the two differ. */
export function withVoice({ voice, ...input }: AgentInput): Partial<AgentFields> {
  if (voice === undefined) return input;
  if (input.voice_id !== undefined && input.voice_id !== voice)
    throw wrong('voice', 'voice and voice_id are one field; they differ.');
  return { ...input, voice_id: voice };
}

/** What no schema can say of a profile. Throws ApiError naming the field. */
export async function checkAgent(reach: Reach, fields: AgentFields, deps: CheckDeps): Promise<void> {
  checkTimeZone(fields.time_zone);
  checkBrain(fields.brain, deps.brains);
  checkExtraction(fields, deps.gate);
  checkMeta(fields.meta);
  checkUnique('tool_ids', fields.tool_ids);
  checkUnique('knowledge_base_ids', fields.knowledge_base_ids);
  checkUnique('builtin_tools', fields.builtin_tools);
  await checkVoice(reach, fields, deps.voices);
  await checkVoiceUnderLoad(reach, fields, deps.voices);
  const tool = await deps.unknownTool(reach, fields.tool_ids);
  if (tool !== undefined) throw wrong('tool_ids', `There is no tool ${tool}.`);
  const base = await deps.unknownKnowledgeBase?.(reach, fields.knowledge_base_ids);
  if (base !== undefined) throw wrong('knowledge_base_ids', `There is no knowledge base ${base}.`);
}

const languageOf = ({ language }: AgentFields): string => String(language ?? EMPTY.language);
/** German is not served: its calls run in English, with an English voice. */
const servedTo = (language: string): string => (language === 'de' ? 'en' : language);

async function checkVoiceUnderLoad(
  reach: Reach,
  fields: AgentFields,
  voices: CheckDeps['voices'],
): Promise<void> {
  const { voice_under_load: name } = fields;
  if (name === null) return;
  const refused = refusedUnderLoad(await voices.find(reach, name), name, servedTo(languageOf(fields)));
  if (refused !== null) throw new ApiError(refused.code, refused.message, { param: 'voice_under_load' });
}

async function checkVoice(reach: Reach, fields: AgentFields, voices: CheckDeps['voices']): Promise<void> {
  if (fields.voice_id === null) return;
  const voice = await voices.find(reach, fields.voice_id);
  if (voice === null)
    throw new ApiError('voice_not_found', `There is no voice ${fields.voice_id}.`, { param: 'voice_id' });
  const language = languageOf(fields);
  if (voice.language !== language && voice.language !== servedTo(language))
    throw wrong('voice_id', `The voice ${voice.id} speaks ${voice.language}; the agent speaks ${language}.`);
}

function checkTimeZone(zone: string | null): void {
  if (zone === null) return;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch (cause) {
    throw new ApiError('invalid_request', `${zone} is no IANA time zone such as Europe/Madrid.`, {
      param: 'time_zone',
      cause,
    });
  }
}

function checkBrain(name: string | null, known: readonly string[]): void {
  if (name === null || known.includes(name)) return;
  const choice = known.length === 0 ? 'The operator lists none.' : `The operator lists ${known.join(', ')}.`;
  throw wrong('brain', `There is no brain ${name}. ${choice}`);
}

function checkExtraction(fields: AgentFields, gate: CheckDeps['gate']): void {
  const { extraction_schema: schema, extraction_webhook_url: url } = fields;
  if (schema !== null) {
    try {
      checkArgumentSchema(schema);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : 'it is no JSON Schema';
      throw new ApiError('invalid_request', `extraction_schema: ${message}`, {
        param: 'extraction_schema',
        cause,
      });
    }
  }
  if (url !== null) checkUrl(gate, url, 'extraction_webhook_url');
}

export function checkUrl(gate: Pick<UrlGate, 'check'>, url: string, param: string): void {
  try {
    gate.check(url);
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param, cause: error });
    throw error;
  }
}

function checkMeta(meta: Record<string, unknown>): void {
  if (!nestsWithin(MAX_LEVELS, meta)) throw wrong('meta', `meta nests more than ${MAX_LEVELS} levels deep.`);
  if (JSON.stringify(meta).length > MAX_META_CHARACTERS)
    throw wrong('meta', `meta has at most ${MAX_META_CHARACTERS} characters as JSON.`);
}

function checkUnique(param: string, values: readonly string[]): void {
  const twice = values.find((value, at) => values.indexOf(value) !== at);
  if (twice !== undefined) throw wrong(param, `${param} names ${twice} twice.`);
}
