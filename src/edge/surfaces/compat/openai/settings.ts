import { ApiError } from '../../../../foundation/platform/errors.ts';
import { FORMATS, OLDER_FORMATS, PCM_RATE, type SoundFormat } from './sound.ts';

export const AGENT_ID = /^agt_[0-9A-Za-z]{20}$/;

export type Dialect = 'ga' | 'beta';
export type SessionKind = 'realtime' | 'transcription';

export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface TurnDetection {
  readonly type: 'server_vad' | 'semantic_vad';
  /** The value is null for the default silence of `server_vad`. */
  readonly silenceMs: number | null;
  readonly eagerness: 'low' | 'medium' | 'high' | 'auto';
}

export interface RealtimeSettings {
  readonly instructions: string;
  readonly voice: string | null;
  readonly tools: readonly ClientTool[];
  readonly toolChoice: unknown;
  readonly temperature: number | null;
  readonly textOnly: boolean;
  readonly format: SoundFormat;
  /** The value is null when the client ends turns itself. */
  readonly turnDetection: TurnDetection | null;
  readonly transcription: { readonly model: string; readonly language: string | null } | null;
}

export const DEFAULTS: RealtimeSettings = {
  instructions: '',
  voice: null,
  tools: [],
  toolChoice: 'auto',
  temperature: null,
  textOnly: false,
  format: 'audio/pcm',
  turnDetection: { type: 'server_vad', silenceMs: null, eagerness: 'auto' },
  transcription: null,
};

export class SessionError extends Error {
  readonly param: string;
  constructor(param: string, message: string) {
    super(message);
    this.name = 'SessionError';
    this.param = param;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fieldsAt(value: unknown, param: string): Fields {
  if (value === undefined || value === null) return {};
  if (isFields(value)) return value;
  throw new SessionError(param, `${param} must be an object`);
}

function textAt(value: unknown, param: string, most: number): string {
  if (typeof value === 'string' && value.length <= most) return value;
  throw new SessionError(param, `${param} must be a string of at most ${most} characters`);
}

const MOST_INSTRUCTIONS = 16_000;
const MOST_NAME = 128;
const MOST_TOOLS = 32;

/** Ignores unknown fields. Throws SessionError. */
export function readSession(said: unknown, before: RealtimeSettings): RealtimeSettings {
  const session = fieldsAt(said, 'session');
  const audio = fieldsAt(session.audio, 'session.audio');
  const input = fieldsAt(audio.input, 'session.audio.input');
  const output = fieldsAt(audio.output, 'session.audio.output');
  const has = (name: string) => session[name] !== undefined && session[name] !== null;
  const voice = output.voice ?? session.voice;
  const modalities = session.output_modalities ?? session.modalities;
  return {
    instructions: has('instructions')
      ? instructionsOf(session.instructions, 'session.instructions')
      : before.instructions,
    voice: voice === undefined || voice === null ? before.voice : voiceOf(voice),
    tools: has('tools') ? toolsOf(session.tools) : before.tools,
    toolChoice: has('tool_choice') ? session.tool_choice : before.toolChoice,
    temperature: has('temperature') ? temperatureOf(session.temperature) : before.temperature,
    textOnly: Array.isArray(modalities) ? !modalities.includes('audio') : before.textOnly,
    format: formatOf(session, input, output, before.format),
    turnDetection: turnDetectionOf(session, input, before.turnDetection),
    transcription: transcriptionOf(session, input, before.transcription),
  };
}

/** Applies sessions that come with a request, one after the other. Throws ApiError. */
export function settledBy(sessions: readonly unknown[]): RealtimeSettings {
  try {
    return sessions.reduce<RealtimeSettings>((before, said) => readSession(said, before), DEFAULTS);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    throw new ApiError('invalid_request', `${error.message}.`, { param: error.param });
  }
}

/** Throws SessionError. */
export const instructionsOf = (value: unknown, param: string): string =>
  textAt(value, param, MOST_INSTRUCTIONS);

const voiceOf = (voice: unknown): string =>
  textAt(isFields(voice) ? voice.id : voice, 'session.audio.output.voice', MOST_NAME);

function temperatureOf(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 2) return value;
  throw new SessionError('session.temperature', 'session.temperature must be a number from 0 to 2');
}

function toolsOf(value: unknown): ClientTool[] {
  if (!Array.isArray(value) || value.length > MOST_TOOLS)
    throw new SessionError(
      'session.tools',
      `session.tools must be a list of at most ${MOST_TOOLS} functions`,
    );
  return value.map((tool, at) => toolOf(tool, `session.tools.${at}`));
}

function toolOf(value: unknown, param: string): ClientTool {
  const tool = fieldsAt(value, param);
  if (tool.type !== undefined && tool.type !== 'function')
    throw new SessionError(`${param}.type`, `${param}.type must be function; other tools are not supported`);
  const name = textAt(tool.name, `${param}.name`, 64);
  if (!/^[A-Za-z0-9_-]+$/.test(name))
    throw new SessionError(`${param}.name`, `${param}.name must have only letters, digits, _ and -`);
  const { description = '', parameters } = tool;
  return {
    name,
    description: textAt(description ?? '', `${param}.description`, 1024),
    parameters:
      parameters === undefined || parameters === null
        ? { type: 'object', properties: {} }
        : fieldsAt(parameters, `${param}.parameters`),
  };
}

/** Input and output have the same format, because a call has one rate. */
function formatOf(session: Fields, input: Fields, output: Fields, before: SoundFormat): SoundFormat {
  const heard = readFormat(input.format ?? session.input_audio_format, 'session.audio.input.format');
  const spoken = readFormat(output.format ?? session.output_audio_format, 'session.audio.output.format');
  if (heard !== null && spoken !== null && heard !== spoken)
    throw new SessionError(
      'session.audio.output.format',
      `session.audio.output.format must be the format of the input, ${heard}, not ${spoken}`,
    );
  return heard ?? spoken ?? before;
}

function readFormat(value: unknown, param: string): SoundFormat | null {
  if (value === undefined || value === null) return null;
  const { type, rate = PCM_RATE } = isFields(value) ? value : { type: value };
  const named = typeof type === 'string' ? (OLDER_FORMATS[type] ?? type) : type;
  const format = FORMATS.find((known) => known === named);
  if (format === undefined) throw new SessionError(param, `${param} must be one of ${FORMATS.join(', ')}`);
  if (format === 'audio/pcm' && rate !== PCM_RATE)
    throw new SessionError(`${param}.rate`, `${param}.rate must be ${PCM_RATE}`);
  return format;
}

function turnDetectionOf(session: Fields, input: Fields, before: TurnDetection | null): TurnDetection | null {
  const value = input.turn_detection === undefined ? session.turn_detection : input.turn_detection;
  if (value === undefined) return before;
  if (value === null) return null;
  const param = 'session.audio.input.turn_detection';
  const said = fieldsAt(value, param);
  // Pipecat's older services send `none`.
  if (said.type === 'none') return null;
  const type = (said.type ?? 'server_vad') as TurnDetection['type'];
  if (type !== 'server_vad' && type !== 'semantic_vad')
    throw new SessionError(`${param}.type`, `${param}.type must be server_vad or semantic_vad`);
  if (said.create_response === false)
    throw new SessionError(
      `${param}.create_response`,
      `${param}.create_response must be true: to create responses yourself, set turn_detection to null and commit each turn`,
    );
  const { silence_duration_ms: silenceMs, eagerness } = said;
  const EAGERNESS = ['low', 'medium', 'high', 'auto'] as const;
  return {
    type,
    silenceMs: typeof silenceMs === 'number' ? silenceMs : null,
    eagerness: EAGERNESS.find((known) => known === eagerness) ?? 'auto',
  };
}

function transcriptionOf(
  session: Fields,
  input: Fields,
  before: RealtimeSettings['transcription'],
): RealtimeSettings['transcription'] {
  const value = input.transcription === undefined ? session.input_audio_transcription : input.transcription;
  if (value === undefined) return before;
  if (value === null) return null;
  const said = fieldsAt(value, 'session.audio.input.transcription');
  const language = said.language ?? soleLanguage(said.languages);
  return {
    model: typeof said.model === 'string' ? said.model.slice(0, MOST_NAME) : 'svc-hear',
    language:
      typeof language === 'string' && language !== '' ? language.split(/[-_]/, 1)[0]!.toLowerCase() : null,
  };
}

/** `gpt-transcribe` takes a list of languages; where it has several, the language is detected. */
const soleLanguage = (languages: unknown): unknown =>
  Array.isArray(languages) && languages.length === 1 ? languages[0] : undefined;

const ENDPOINTING = { least: 100, most: 3000 };
const EAGER: Readonly<Record<TurnDetection['eagerness'], number | null>> = {
  high: 300,
  low: 900,
  medium: null,
  auto: null,
};

/** Returns the silence that ends a turn; null for the server's default. */
export function endpointingOf(detection: TurnDetection | null): number | null {
  if (detection === null) return ENDPOINTING.most;
  const ms = detection.type === 'server_vad' ? detection.silenceMs : EAGER[detection.eagerness];
  return ms === null ? null : Math.round(Math.min(ENDPOINTING.most, Math.max(ENDPOINTING.least, ms)));
}

export interface Shown {
  readonly id: string;
  readonly model: string;
  readonly kind: SessionKind;
  readonly expiresAt: number;
}

const shownTools = (tools: readonly ClientTool[]) => tools.map((tool) => ({ type: 'function', ...tool }));

const shownDetection = (detection: TurnDetection | null) => {
  if (detection === null) return null;
  const common = { type: detection.type, create_response: true, interrupt_response: true };
  if (detection.type === 'semantic_vad') return { ...common, eagerness: detection.eagerness };
  return {
    ...common,
    threshold: 0.5,
    prefix_padding_ms: 300,
    silence_duration_ms: endpointingOf(detection) ?? 500,
    idle_timeout_ms: null,
  };
};

const shownFormat = (format: SoundFormat) =>
  format === 'audio/pcm' ? { type: format, rate: PCM_RATE } : { type: format };

const olderFormat = (format: SoundFormat): string =>
  Object.entries(OLDER_FORMATS).find(([, one]) => one === format)?.[0] ?? 'pcm16';

const shownTranscription = ({ transcription }: RealtimeSettings) =>
  transcription && {
    model: transcription.model,
    ...(transcription.language === null ? {} : { language: transcription.language }),
  };

export function showSession(settings: RealtimeSettings, shown: Shown, dialect: Dialect): object {
  const { id, model, kind, expiresAt } = shown;
  const { instructions, voice, tools, toolChoice, textOnly, format, turnDetection } = settings;
  const input = {
    format: shownFormat(format),
    transcription: shownTranscription(settings),
    noise_reduction: null,
    turn_detection: shownDetection(turnDetection),
  };
  if (dialect === 'ga' && kind === 'transcription')
    return {
      type: 'transcription',
      object: 'realtime.transcription_session',
      id,
      expires_at: expiresAt,
      audio: { input },
      include: null,
    };
  if (dialect === 'ga')
    return {
      type: 'realtime',
      object: 'realtime.session',
      id,
      model,
      output_modalities: [textOnly ? 'text' : 'audio'],
      instructions,
      tools: shownTools(tools),
      tool_choice: toolChoice,
      max_output_tokens: 'inf',
      tracing: null,
      truncation: 'auto',
      prompt: null,
      expires_at: expiresAt,
      audio: { input, output: { format: shownFormat(format), voice: voice ?? 'alloy', speed: 1 } },
      include: null,
    };
  return {
    id,
    object: kind === 'transcription' ? 'realtime.transcription_session' : 'realtime.session',
    expires_at: expiresAt,
    model,
    modalities: textOnly ? ['text'] : ['text', 'audio'],
    instructions,
    voice: voice ?? 'alloy',
    input_audio_format: olderFormat(format),
    output_audio_format: olderFormat(format),
    input_audio_transcription: input.transcription,
    turn_detection: input.turn_detection,
    tools: shownTools(tools),
    tool_choice: toolChoice,
    temperature: settings.temperature ?? 0.8,
    max_response_output_tokens: 'inf',
  };
}
