import { isDeepStrictEqual } from 'node:util';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { nestsWithin } from '../../foundation/platform/nesting.ts';
import { compiledProgram } from '../../foundation/platform/project-root.ts';
import { runInThread } from '../../foundation/platform/threads.ts';
import { GateError, type UrlGate } from '../../foundation/platform/url-gate/index.ts';
import { LOCAL_VOICE } from '../../speech/providers/index.ts';
import { type CallVoices, noVoiceOfCalls, refusedUnderLoad } from '../../speech/voices/index.ts';
import type { Problem, Surroundings } from '../flows/index.ts';
import { checkArgumentSchema } from '../session/index.ts';
import { type AgentFields, type AgentInput, EMPTY_AGENT } from './fields.ts';
import { type FlowCheck, problemsOf } from './flow-check-thread.ts';
import { checkLookups, checkLookupTools } from './lookups.ts';
import type { ToolFields } from './tools/fields.ts';

/** Returns the first id that names nothing in this scope. */
export type FindUnknownIds = (scope: TenantScope, ids: readonly string[]) => Promise<string | undefined>;

export type FindTools = (
  scope: TenantScope,
  ids: readonly string[],
) => Promise<
  readonly {
    readonly id: string;
    readonly fields: Pick<ToolFields, 'name' | 'kind' | 'confirm' | 'parameters'>;
  }[]
>;

export interface OwnProviderNames {
  readonly voices: readonly string[];
  readonly recognition: readonly string[];
}

export interface AgentCheckDeps {
  readonly voices: Pick<CallVoices, 'find'>;
  readonly gate: Pick<UrlGate, 'check'>;
  readonly brains: readonly string[];
  readonly voiceProviders?: readonly string[];
  readonly recognizers?: () => readonly string[];
  /** The names of the customer's own providers. */
  readonly ownProviders?: (scope: TenantScope) => Promise<OwnProviderNames>;
  readonly tools: FindTools;
  /** Returns those of the ids that name an agent which calls can use. */
  readonly agents?: (scope: TenantScope, ids: readonly string[]) => Promise<readonly string[]>;
  /** A server without knowledge bases leaves it out and stores ids unchecked. */
  readonly unknownKnowledgeBase?: FindUnknownIds;
}

const MAX_LEVELS = 32;
const MAX_META_CHARACTERS = 16_000;

const wrong = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });

/** `voice` is another name of `voice_id`. Throws where the two differ. */
export function withVoice<T extends Pick<AgentInput, 'voice' | 'voice_id'>>({
  voice,
  ...input
}: T): Omit<T, 'voice'> {
  if (voice === undefined) return input;
  if (input.voice_id !== undefined && input.voice_id !== voice)
    throw wrong('voice', 'voice is an alias of voice_id: their values must be equal.');
  return { ...input, voice_id: voice };
}

/**
 * Checks what no schema can express about a profile, and throws ApiError naming the field. References that the
 * version `before` already had are not checked again: what they name may be deleted by now, and the agent works
 * without it.
 */
export async function checkAgent(
  scope: TenantScope,
  fields: AgentFields,
  deps: AgentCheckDeps,
  before: AgentFields | null = null,
): Promise<void> {
  checkTimeZone(fields.time_zone);
  if (fields.brain !== before?.brain) checkBrain(fields.brain, deps.brains);
  await checkProviders(scope, fields, deps, before);
  checkInstruct(fields.voice_instruct, before?.voice_instruct);
  checkExtraction(fields, deps.gate);
  checkMeta(fields.meta);
  checkUnique('tool_ids', fields.tool_ids);
  checkUnique('knowledge_base_ids', fields.knowledge_base_ids);
  checkUnique('builtin_tools', fields.builtin_tools);
  checkUnique('denoise', fields.denoise);
  if (fields.languages !== 'auto') checkUnique('languages', fields.languages);
  checkLookups(fields.lookups);
  const sameLanguage = before !== null && languageOf(fields) === languageOf(before);
  if (!sameLanguage || fields.voice_id !== before.voice_id) await checkVoice(scope, fields, deps.voices);
  if (!sameLanguage || fields.voice_under_load !== before.voice_under_load)
    await checkVoiceUnderLoad(scope, fields, deps.voices);
  if (flowMayFail(fields, before)) await checkFlowOf(scope, fields, deps);
  await checkTools(scope, fields.tool_ids, before?.tool_ids ?? [], deps.tools);
  await checkLookupsOf(scope, fields, before, deps.tools);
  const bases = added(fields.knowledge_base_ids, before?.knowledge_base_ids ?? []);
  const base = bases.length === 0 ? undefined : await deps.unknownKnowledgeBase?.(scope, bases);
  if (base !== undefined) throw wrong('knowledge_base_ids', `There is no knowledge base ${base}.`);
}

const MAX_FLOW_CHARACTERS = 500_000;
/** A smaller flow is checked in a few milliseconds, which is less than the dispatch to a thread costs. */
const SMALL_FLOW_CHARACTERS = 20_000;
const FLOW_CHECK = compiledProgram(import.meta.url, 'conversation/agents', 'flow-check-thread.js');

export async function flowProblems(
  scope: TenantScope,
  flow: unknown,
  fields: Pick<AgentFields, 'tool_ids' | 'builtin_tools' | 'lookups'>,
  deps: Pick<AgentCheckDeps, 'tools' | 'agents'>,
): Promise<readonly Problem[]> {
  const characters = nestsWithin(MAX_LEVELS, flow) ? JSON.stringify(flow).length : Number.POSITIVE_INFINITY;
  if (characters > MAX_FLOW_CHARACTERS)
    return [
      {
        node: '',
        code: 'invalid',
        detail: `a flow can have at most ${MAX_FLOW_CHARACTERS} characters as JSON`,
      },
    ];
  const tools = await deps.tools(scope, fields.tool_ids);
  // The tools of an MCP server are known only when a call connects to it.
  const isOpen = tools.some((tool) => tool.fields.kind === 'mcp');
  const names = new Set<string>([...tools.map((tool) => tool.fields.name), ...fields.builtin_tools]);
  const named = agentsIn(flow);
  const agents = deps.agents === undefined ? null : new Set(await deps.agents(scope, named));
  const lookups = new Set(fields.lookups.map(({ name }) => name));
  const surroundings: Surroundings = { tools: isOpen ? null : names, agents, lookups };
  const check: FlowCheck = { flow, surroundings };
  if (characters <= SMALL_FLOW_CHARACTERS) return problemsOf(check);
  return await runInThread(FLOW_CHECK, 'problemsOf', check, { tenant: scope.org });
}

const MOST_HANDOFFS = 100;

function agentsIn(flow: unknown): string[] {
  const { nodes, subflows } = flow as { nodes?: unknown; subflows?: Record<string, { nodes?: unknown }> };
  const lists = [nodes, ...Object.values(subflows ?? {}).map((one) => one?.nodes)];
  const all = lists.flatMap((list) => (Array.isArray(list) ? (list as { agent_id?: unknown }[]) : []));
  const ids = all.flatMap((node) => (typeof node?.agent_id === 'string' ? [node.agent_id] : []));
  return [...new Set(ids)].slice(0, MOST_HANDOFFS);
}

/** A flow is checked again where the tools that it may name are others. */
const flowMayFail = (fields: AgentFields, before: AgentFields | null): boolean =>
  !isDeepStrictEqual(fields.flow, before?.flow ?? null) ||
  !isDeepStrictEqual(fields.tool_ids, before?.tool_ids) ||
  !isDeepStrictEqual(fields.builtin_tools, before?.builtin_tools) ||
  !isDeepStrictEqual(namesOf(fields.lookups), namesOf(before?.lookups ?? []));

const namesOf = (lookups: AgentFields['lookups']): string[] => lookups.map(({ name }) => name);

async function checkFlowOf(scope: TenantScope, fields: AgentFields, deps: AgentCheckDeps): Promise<void> {
  if (fields.flow === null) return;
  const [problem, ...more] = await flowProblems(scope, fields.flow, fields, deps);
  if (problem === undefined) return;
  const others = more.length === 0 ? '' : ` There are ${more.length} more; flow/check lists them.`;
  const where = problem.node === '' ? '' : `${problem.node}: `;
  throw wrong('flow', `${where}${problem.detail} (${problem.code}).${others}`);
}

const added = (ids: readonly string[], before: readonly string[]): string[] =>
  ids.filter((id) => !before.includes(id));

async function checkLookupsOf(
  scope: TenantScope,
  { lookups, tool_ids: ids }: AgentFields,
  before: AgentFields | null,
  among: FindTools,
): Promise<void> {
  if (!lookups.some(({ tool }) => tool !== undefined)) return;
  if (isDeepStrictEqual([lookups, ids], [before?.lookups, before?.tool_ids])) return;
  const tools = await among(scope, ids);
  checkLookupTools(
    lookups,
    tools.map(({ fields }) => fields),
  );
}

/** A call could only ever use the first of two tools with one name. An MCP server's name is not a tool's name. */
async function checkTools(
  scope: TenantScope,
  ids: readonly string[],
  before: readonly string[],
  among: FindTools,
): Promise<void> {
  const named = added(ids, before);
  if (named.length === 0) return;
  const tools = await among(scope, ids);
  const unknown = named.find((id) => !tools.some((tool) => tool.id === id));
  if (unknown !== undefined) throw wrong('tool_ids', `There is no tool ${unknown}.`);
  const callable = tools.filter(({ fields }) => fields.kind !== 'mcp');
  for (const [at, { id, fields }] of callable.entries()) {
    const first = callable.slice(0, at).find((other) => other.fields.name === fields.name);
    if (first !== undefined)
      throw wrong(
        'tool_ids',
        `${first.id} and ${id} are both named ${fields.name}; the tools of an agent must have different names.`,
      );
  }
}

const languageOf = ({ language }: AgentFields): string => String(language ?? EMPTY_AGENT.language);
const servedTo = (language: string): string => (language === 'de' ? 'en' : language);

async function checkVoiceUnderLoad(
  scope: TenantScope,
  fields: AgentFields,
  voices: AgentCheckDeps['voices'],
): Promise<void> {
  const { voice_under_load: name } = fields;
  if (name === null) return;
  const refused = refusedUnderLoad(await voices.find(scope, name), name, servedTo(languageOf(fields)));
  if (refused !== null) throw new ApiError(refused.code, refused.message, { param: 'voice_under_load' });
}

async function checkVoice(
  scope: TenantScope,
  fields: AgentFields,
  voices: AgentCheckDeps['voices'],
): Promise<void> {
  if (fields.voice_id === null) return;
  const voice = await voices.find(scope, fields.voice_id);
  if (voice === null)
    throw new ApiError('voice_not_found', noVoiceOfCalls(fields.voice_id), { param: 'voice_id' });
  const language = languageOf(fields);
  if (voice.language !== language && voice.language !== servedTo(language))
    throw wrong('voice_id', `The voice ${voice.id} speaks ${voice.language}; the agent speaks ${language}.`);
}

/** No available voice follows a style instruction, so a new one is refused rather than ignored. */
function checkInstruct(instruct: string | null, before: string | null | undefined): void {
  if (instruct === null || instruct.trim() === '' || instruct === before) return;
  const message = 'No voice supports voice_instruct: omit it, and choose a voice with voice_id.';
  throw new ApiError('unsupported_voice_instruct', message, { param: 'voice_instruct' });
}

function checkTimeZone(zone: string | null): void {
  if (zone === null) return;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch (cause) {
    throw new ApiError('invalid_request', `${zone} is not an IANA time zone, such as Europe/Madrid.`, {
      param: 'time_zone',
      cause,
    });
  }
}

function checkBrain(name: string | null, known: readonly string[]): void {
  if (name === null || known.includes(name)) return;
  const choice =
    known.length === 0
      ? 'The operator has configured none.'
      : `The operator has configured ${known.join(', ')}.`;
  throw wrong('brain', `There is no brain ${name}. ${choice}`);
}

async function checkProviders(
  scope: TenantScope,
  { voice_provider: voice, recognizer }: AgentFields,
  { voiceProviders = [], recognizers, ownProviders }: AgentCheckDeps,
  before: AgentFields | null,
): Promise<void> {
  if (voice === before?.voice_provider && recognizer === before?.recognizer) return;
  const own = await ownProviders?.(scope);
  if (voice !== before?.voice_provider)
    checkVoiceProvider(voice, [...new Set([...voiceProviders, ...(own?.voices ?? [])])]);
  if (recognizer !== before?.recognizer)
    checkRecognizer(recognizer, [...new Set([...(recognizers?.() ?? []), ...(own?.recognition ?? [])])]);
}

function checkVoiceProvider(name: string | null, known: readonly string[]): void {
  if (name === null || name === LOCAL_VOICE || known.includes(name)) return;
  const choice = ['`local`', ...known].join(', ');
  throw wrong('voice_provider', `There is no voice provider ${name}. There are ${choice}.`);
}

function checkRecognizer(name: string | null, known: readonly string[]): void {
  if (name === null || known.includes(name)) return;
  const choice = known.length === 0 ? 'The operator has configured none.' : `There are ${known.join(', ')}.`;
  throw wrong('recognizer', `There is no recognizer ${name}. ${choice}`);
}

function checkExtraction(fields: AgentFields, gate: AgentCheckDeps['gate']): void {
  const { extraction_schema: schema, extraction_webhook_url: url } = fields;
  if (schema !== null) {
    try {
      checkArgumentSchema(schema);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : 'it is not a JSON Schema';
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
  if (!nestsWithin(MAX_LEVELS, meta))
    throw wrong('meta', `meta is nested more than ${MAX_LEVELS} levels deep.`);
  if (JSON.stringify(meta).length > MAX_META_CHARACTERS)
    throw wrong('meta', `meta can have at most ${MAX_META_CHARACTERS} characters as JSON.`);
}

function checkUnique(param: string, values: readonly string[]): void {
  const twice = values.find((value, at) => values.indexOf(value) !== at);
  if (twice !== undefined) throw wrong(param, `${param} lists ${twice} twice.`);
}
