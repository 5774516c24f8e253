import type { TenantScope } from '../../foundation/access/contract.ts';
import type { ErrorCode } from '../../foundation/platform/errors.ts';
import { GateError, type UrlGate } from '../../foundation/platform/url-gate/index.ts';
import { omni } from '../../media/wire/index.ts';
import { type CallVoice, type CallVoices, refusedUnderLoad } from '../../speech/voices/index.ts';
import type { SessionTool } from '../session/index.ts';
import { KnowledgeEndpoint, type SignedHeadersOf } from './knowledge-endpoint.ts';

/** The engine recognizes and speaks these languages; a session in another one runs in English. */
export const SERVED_LANGUAGES = ['en', 'fr', 'es', 'hi'] as const;
export type ServedLanguage = (typeof SERVED_LANGUAGES)[number];

export interface ConfigurationWarning {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string;
}

export interface CallConfiguration {
  readonly language: ServedLanguage;
  readonly languageFallback: boolean;
  readonly voice: CallVoice;
  /**
   * This Standard voice may replace the call's own at the start where the machine is overloaded; null permits none.
   */
  readonly voiceUnderLoad: CallVoice | null;
  readonly usesVoiceUnderLoad: boolean;
  readonly tools: readonly SessionTool[];
  readonly knowledge: KnowledgeEndpoint | null;
  readonly externalId: string | null;
  readonly warnings: readonly ConfigurationWarning[];
}

export interface ConfigureContext {
  readonly scope: TenantScope;
  readonly plan?: string;
  readonly voices: CallVoices;
  readonly gate: UrlGate;
  readonly sign: SignedHeadersOf;
  readonly onKnowledgeFault: (message: string) => void;
}

const ONLY_AT_THE_START = ['greeting', 'consent_line', 'meta', 'vocabulary', 'voice_under_load'] as const;

export const ignoredMidCall = (message: omni.Configuration): ConfigurationWarning[] =>
  ONLY_AT_THE_START.filter((name) => message[name] !== undefined).map((name) => ({
    code: 'invalid_request',
    message: `${name} can only be set at the start of a session`,
    param: name,
  }));

const DEFAULT_TOOL_TIMEOUT_MS = 5_000;
const MAX_EXTERNAL_ID = 256;

export async function configure(
  message: Partial<omni.Configuration>,
  context: ConfigureContext,
): Promise<CallConfiguration> {
  const complaints: ConfigurationWarning[] = [];
  const named =
    message.voice_id === undefined ? null : await context.voices.find(context.scope, message.voice_id);
  const voicesOwn = servedLanguage(named?.language);
  const served = message.language === undefined ? (voicesOwn ?? 'en') : servedLanguage(message.language);
  const language = served ?? 'en';
  const voice = await chooseVoice(message, named, language, context, complaints);
  refuseInstruct(message, voice, complaints);
  return {
    language,
    languageFallback: served === undefined,
    voice,
    voiceUnderLoad: await voiceUnderLoad(message, language, context, complaints),
    usesVoiceUnderLoad: false,
    tools: (message.tools ?? []).map((tool) => sessionTool(omni.toolOf(tool))),
    knowledge: knowledgeFor(message, context, complaints),
    externalId: externalIdOf(message, complaints),
    warnings: complaints,
  };
}

const servedLanguage = (language: string | undefined): ServedLanguage | undefined =>
  SERVED_LANGUAGES.find((code) => code === language);

async function chooseVoice(
  message: Partial<omni.Configuration>,
  found: CallVoice | null,
  language: ServedLanguage,
  context: ConfigureContext,
  complaints: ConfigurationWarning[],
): Promise<CallVoice> {
  if (message.voice_id === undefined)
    return await context.voices.defaultFor(context.scope, language, context.plan);
  if (found?.language === language) return found;
  complaints.push({
    code: 'voice_not_found',
    message:
      found === null
        ? 'there is no such voice for calls; the default voice is used'
        : `the voice speaks ${found.language}; the default voice for ${language} is used`,
    param: 'voice_id',
  });
  return await context.voices.defaultFor(context.scope, language, context.plan);
}

async function voiceUnderLoad(
  { voice_under_load: name }: Partial<omni.Configuration>,
  language: ServedLanguage,
  { voices, scope }: ConfigureContext,
  complaints: ConfigurationWarning[],
): Promise<CallVoice | null> {
  if (name === undefined || name === null) return null;
  const voice = await voices.find(scope, name);
  const refused = refusedUnderLoad(voice, name, language);
  if (refused === null) return voice;
  complaints.push({ ...refused, param: 'voice_under_load' });
  return null;
}

export const withVoiceUnderLoad = (configured: CallConfiguration): CallConfiguration => ({
  ...configured,
  voice: configured.voiceUnderLoad ?? configured.voice,
  usesVoiceUnderLoad: configured.voiceUnderLoad !== null,
});

function refuseInstruct(
  message: Partial<omni.Configuration>,
  voice: CallVoice,
  complaints: ConfigurationWarning[],
): void {
  if (message.voice_instruct === undefined || message.voice_instruct.trim() === '') return;
  complaints.push({
    code: 'unsupported_voice_instruct',
    message: `the voice ${voice.id} does not support voice_instruct`,
    param: 'voice_instruct',
  });
}

const sessionTool = (tool: omni.Tool): SessionTool => ({
  name: tool.name,
  description: tool.description ?? '',
  parameters: tool.parameters ?? { type: 'object', properties: {} },
  timeoutMs: tool.timeout_ms ?? DEFAULT_TOOL_TIMEOUT_MS,
  filler: tool.filler ?? null,
  confirm: tool.confirm ?? false,
});

function knowledgeFor(
  message: Partial<omni.Configuration>,
  context: ConfigureContext,
  complaints: ConfigurationWarning[],
): KnowledgeEndpoint | null {
  if (message.kb_endpoint === undefined) return null;
  try {
    const { gate, sign, onKnowledgeFault: onFault } = context;
    return new KnowledgeEndpoint({ gate, sign, onFault }, message.kb_endpoint);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    complaints.push({
      code: 'invalid_request',
      message: `kb_endpoint: ${error.message}`,
      param: 'kb_endpoint',
    });
    return null;
  }
}

function externalIdOf(
  message: Partial<omni.Configuration>,
  complaints: ConfigurationWarning[],
): string | null {
  const id = message.meta?.external_id;
  if (id === undefined || id === null) return null;
  if (typeof id === 'string' && [...id].length <= MAX_EXTERNAL_ID && !/\p{Cc}/u.test(id)) return id;
  complaints.push({
    code: 'invalid_request',
    message: `meta.external_id must be a string of at most ${MAX_EXTERNAL_ID} characters without control characters`,
    param: 'meta.external_id',
  });
  return null;
}
