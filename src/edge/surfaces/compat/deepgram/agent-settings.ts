import { AGENT_LANGUAGES } from '../../../../conversation/agents/index.ts';
import type { CallRate } from '../../../../conversation/calls/index.ts';
import type { omni } from '../../../../media/wire/index.ts';
import { type Fields, fieldsOf } from '../client-message.ts';
import { AGENT_ID } from '../openai/settings.ts';
import { auraVoice } from '../stock-voices.ts';
import { MOST_CONTEXT, TOOL_TIMEOUT_MS } from '../vendor-conversation.ts';
import { languageOf } from './query.ts';

export class AgentSettingsError extends Error {}

/** A list of providers means fallbacks; the first is used. */
const firstOf = (value: unknown): Fields => fieldsOf(Array.isArray(value) ? value[0] : value);

export interface AgentAudio {
  readonly input: {
    readonly encoding: 'linear16' | 'mulaw' | 'alaw' | 'opus' | 'ogg-opus' | 'flac';
    readonly rate: number;
  };
  readonly output: { readonly encoding: 'linear16' | 'mulaw' | 'alaw'; readonly rate: CallRate };
}

const INPUTS = ['linear16', 'mulaw', 'alaw', 'opus', 'ogg-opus', 'flac'] as const;
const OUTPUTS = ['linear16', 'mulaw', 'alaw'] as const;
const OUTPUT_RATES = [24_000, 16_000, 8000] as const;
const RATE = { least: 8000, most: 48_000 };

export function audioOf(said: unknown): AgentAudio {
  const { input, output } = fieldsOf(said);
  return { input: inputOf(fieldsOf(input)), output: outputOf(fieldsOf(output)) };
}

function inputOf({ encoding = 'linear16', sample_rate }: Fields): AgentAudio['input'] {
  const known = INPUTS.find((one) => one === encoding);
  if (known === undefined)
    throw new AgentSettingsError(`audio.input.encoding must be one of ${INPUTS.join(', ')}.`);
  const rate = sample_rate ?? (known === 'mulaw' || known === 'alaw' ? 8000 : 24_000);
  if (typeof rate === 'number' && Number.isInteger(rate) && rate >= RATE.least && rate <= RATE.most)
    return { encoding: known, rate };
  throw new AgentSettingsError(
    `audio.input.sample_rate must be an integer from ${RATE.least} to ${RATE.most}.`,
  );
}

function outputOf({ encoding = 'linear16', sample_rate }: Fields): AgentAudio['output'] {
  const known = OUTPUTS.find((one) => one === encoding);
  if (known === undefined)
    throw new AgentSettingsError(`audio.output.encoding must be one of ${OUTPUTS.join(', ')}.`);
  const rates = known === 'linear16' ? OUTPUT_RATES : ([8000] as const);
  const rate = rates.find((one) => one === (sample_rate ?? rates[0]));
  if (rate === undefined)
    throw new AgentSettingsError(`audio.output.sample_rate for ${known} must be one of ${rates.join(', ')}.`);
  return { encoding: known, rate };
}

/** Returns null when the settings describe an agent themselves rather than name one of this server. */
export function profileOf(agent: unknown): string | null {
  if (typeof agent !== 'string') return null;
  if (AGENT_ID.test(agent)) return agent;
  throw new AgentSettingsError('agent must be an object or the ID of an agent of this server (agt_…).');
}

export interface AgentConfiguration {
  readonly message: omni.Configuration;
  readonly history: string;
  readonly ignored: readonly string[];
}

const MOST = { persona: 16_000, greeting: 1000, history: MOST_CONTEXT, tools: 32 };

export interface VoiceDefaults {
  defaultFor(language: string): { readonly id: string } | undefined;
}

export function configurationOf(said: unknown, voices: VoiceDefaults): AgentConfiguration {
  const agent = fieldsOf(said);
  const think = firstOf(agent.think);
  const speak = firstOf(agent.speak);
  const listen = fieldsOf(fieldsOf(agent.listen).provider);
  const provider = fieldsOf(think.provider);
  const voice = voiceOf(fieldsOf(speak.provider), voices);
  const code = listen.language ?? fieldsOf(speak.provider).language ?? agent.language;
  const language = AGENT_LANGUAGES.find(
    (one) => one === (typeof code === 'string' ? languageOf(code) : null),
  );
  const { tools, ignored } = toolsOf(think.functions);
  return {
    message: {
      type: 'configure',
      ...(typeof think.prompt === 'string' ? { persona: think.prompt.slice(0, MOST.persona) } : {}),
      ...(typeof agent.greeting === 'string' && agent.greeting !== ''
        ? { greeting: agent.greeting.slice(0, MOST.greeting) }
        : {}),
      ...(voice === undefined ? {} : { voice_id: voice }),
      ...(language === undefined ? {} : { language }),
      ...(typeof provider.temperature === 'number'
        ? { temperature: clampedTemperature(provider.temperature) }
        : {}),
      ...(tools === null ? {} : { tools }),
    },
    history: historyOf(fieldsOf(agent.context).messages ?? agent.messages),
    ignored: [
      ...ignored,
      ...(think.endpoint === undefined ? [] : ['agent.think.endpoint']),
      ...(speak.endpoint === undefined ? [] : ['agent.speak.endpoint']),
      ...(agent.think_live === undefined ? [] : ['agent.think_live']),
    ],
  };
}

const clampedTemperature = (said: number): number => Math.min(2, Math.max(0, said));

function voiceOf(provider: Fields, voices: VoiceDefaults): string | undefined {
  const { model, model_id: other } = provider;
  const name = typeof model === 'string' ? model : other;
  if (typeof name !== 'string') return undefined;
  if (provider.type !== undefined && provider.type !== 'deepgram') return undefined;
  return auraVoice(name, (language) => voices.defaultFor(language)?.id);
}

function toolsOf(said: unknown): { tools: omni.Configuration['tools'] | null; ignored: string[] } {
  if (said === undefined || said === null) return { tools: null, ignored: [] };
  if (!Array.isArray(said) || said.length > MOST.tools)
    throw new AgentSettingsError(`agent.think.functions must be a list of at most ${MOST.tools} functions.`);
  const ignored: string[] = [];
  const tools = said.flatMap((one, at) => {
    const { name, description = '', parameters, endpoint } = fieldsOf(one);
    if (endpoint !== undefined && endpoint !== null) {
      ignored.push(`agent.think.functions.${at}`);
      return [];
    }
    if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
      throw new AgentSettingsError(
        `agent.think.functions.${at}.name must have 1 to 64 letters, digits, _ and -.`,
      );
    return [
      {
        name,
        description: String(description).slice(0, 1024),
        parameters: parameters === undefined ? { type: 'object', properties: {} } : fieldsOf(parameters),
        timeout_ms: TOOL_TIMEOUT_MS,
      },
    ];
  });
  return { tools, ignored };
}

function historyOf(said: unknown): string {
  if (!Array.isArray(said)) return '';
  const lines = said
    .map((one) => fieldsOf(one))
    .filter(({ role, content }) => typeof role === 'string' && typeof content === 'string')
    .map(({ role, content }) => `${role === 'user' ? 'Caller' : 'You'}: ${content}`);
  return lines.length === 0
    ? ''
    : `Earlier in this conversation:\n${lines.join('\n')}`.slice(0, MOST.history);
}
