import type { EngineVoice } from '../../media/engine/index.ts';
import type { omni } from '../../media/wire/index.ts';
import type { Passage } from '../brains/index.ts';
import {
  type SessionSettings,
  type SessionTool,
  type ToolDispatcher,
  ToolsReplacedTooOften,
} from '../session/index.ts';
import {
  type CallConfiguration,
  type ConfigurationWarning,
  type ConfigureContext,
  configure,
  ignoredMidCall,
} from './configuration.ts';
import type { CallerConnection } from './contract.ts';

export interface SettingsChange {
  readonly session: Partial<SessionSettings>;
  readonly voice: EngineVoice | null;
}

export class CallSettings {
  readonly #context: ConfigureContext;
  readonly #dispatcher: ToolDispatcher;
  readonly #ownTools: () => readonly SessionTool[];
  #current: CallConfiguration | null = null;
  #changed: Promise<unknown> = Promise.resolve();

  constructor(
    context: ConfigureContext,
    dispatcher: ToolDispatcher,
    ownTools: () => readonly SessionTool[] = () => [],
  ) {
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#ownTools = ownTools;
  }

  get current(): CallConfiguration | null {
    return this.#current;
  }

  async retrieve(
    query: string,
    { callId, sessionLabel }: Pick<CallerConnection, 'callId' | 'sessionLabel'>,
    signal: AbortSignal,
  ): Promise<readonly Passage[]> {
    const { knowledge, language } = this.#current ?? {};
    if (query === '' || !knowledge || language === undefined) return [];
    return await knowledge.ask({ query, sessionLabel, callId, language }, signal);
  }

  async begin(message: Partial<omni.Configuration>): Promise<CallConfiguration> {
    const read = await configure(message, this.#context);
    const complaints = [...read.warnings, ...this.#replaceTools(read)];
    this.#current = { ...read, warnings: complaints };
    return this.#current;
  }

  onBegun(configured: CallConfiguration): void {
    this.#current = configured;
  }

  /**
   * Applies a change from the next turn on; fields that the frame does not name stay. `take` gives the session its
   * part, unless the session has ended. Changes run one at a time, each on the result of the one before.
   */
  change(
    message: omni.Configuration,
    take: (change: SettingsChange) => boolean,
  ): Promise<CallConfiguration | null> {
    const change = this.#changed.then(() => this.#change(message, take));
    this.#changed = change.catch(() => undefined);
    return change;
  }

  async #change(
    message: omni.Configuration,
    take: (change: SettingsChange) => boolean,
  ): Promise<CallConfiguration | null> {
    const before = this.#current;
    if (before === null) return null;
    const language = message.language ?? before.language;
    const { voice_under_load: _late, ...taken } = message;
    const read = await configure({ ...taken, language }, this.#context);
    const keepsVoice = message.voice_id === undefined && read.language === before.language;
    const voice = keepsVoice ? before.voice : read.voice;
    const session = {
      language: read.language,
      ...(message.persona === undefined ? {} : { persona: message.persona }),
      ...(message.seed === undefined ? {} : { seed: message.seed }),
      ...(message.temperature === undefined ? {} : { temperature: message.temperature }),
    };
    if (!take({ session, voice: voice === before.voice ? null : voice.engine })) return null;
    const refused = message.tools === undefined ? [] : this.#replaceTools(read);
    this.#current = {
      ...read,
      languageFallback: message.language === undefined ? before.languageFallback : read.languageFallback,
      voice,
      voiceUnderLoad: before.voiceUnderLoad,
      usesVoiceUnderLoad: keepsVoice && before.usesVoiceUnderLoad,
      externalId: before.externalId,
      tools: message.tools === undefined ? before.tools : read.tools,
      knowledge: message.kb_endpoint === undefined ? before.knowledge : read.knowledge,
      warnings: [...read.warnings, ...refused, ...ignoredMidCall(message)],
    };
    return this.#current;
  }

  replaceAgentTools(): void {
    this.#dispatcher.replace(this.#current?.tools ?? [], this.#ownTools(), { paced: false });
  }

  #replaceTools(configured: CallConfiguration): ConfigurationWarning[] {
    try {
      const faults = this.#dispatcher.replace(configured.tools, this.#ownTools());
      return faults.map((message) => ({ code: 'invalid_request', message, param: 'tools' }));
    } catch (error) {
      const code = error instanceof ToolsReplacedTooOften ? 'rate_limit_exceeded' : 'invalid_request';
      const message = error instanceof Error ? error.message : 'not a JSON Schema';
      return [{ code, message, param: 'tools' }];
    }
  }
}
