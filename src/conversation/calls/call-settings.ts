import type { EngineVoice } from '../../media/engine/index.ts';
import type { omni } from '../../media/wire/index.ts';
import type { Passage } from '../brains/index.ts';
import { type SessionSettings, type SessionTool, type ToolDesk, TooOften } from '../session/index.ts';
import {
  type Complaint,
  type ConfigureContext,
  type Configured,
  configure,
  untaken,
} from './configuration.ts';
import type { Caller } from './contract.ts';

/** What of a change is the session's. */
export interface SettingsChange {
  readonly session: Partial<SessionSettings>;
  /** Null: the voice stays. */
  readonly voice: EngineVoice | null;
}

/** What a call was configured with, and how that changes while it lives. */
export class CallSettings {
  readonly #context: ConfigureContext;
  readonly #desk: ToolDesk;
  readonly #ownTools: () => readonly SessionTool[];
  #current: Configured | null = null;
  /** Until the change that came last is made. */
  #changed: Promise<unknown> = Promise.resolve();

  /** `ownTools`: those of the call's agent. */
  constructor(context: ConfigureContext, desk: ToolDesk, ownTools: () => readonly SessionTool[] = () => []) {
    this.#context = context;
    this.#desk = desk;
    this.#ownTools = ownTools;
  }

  /** Null before the first. */
  get current(): Configured | null {
    return this.#current;
  }

  /** Asks the customer's own knowledge, where one was configured. */
  async retrieve(
    query: string,
    { callId, sessionLabel }: Pick<Caller, 'callId' | 'sessionLabel'>,
    signal: AbortSignal,
  ): Promise<readonly Passage[]> {
    const { knowledge, language } = this.#current ?? {};
    if (query === '' || !knowledge || language === undefined) return [];
    return await knowledge.ask({ query, sessionLabel, callId, language }, signal);
  }

  async begin(message: Partial<omni.Configuration>): Promise<Configured> {
    const read = await configure(message, this.#context);
    const complaints = [...read.complaints, ...this.#replaceTools(read)];
    this.#current = { ...read, complaints };
    return this.#current;
  }

  /** What the call did begin with, where that is not what was asked. */
  begun(configured: Configured): void {
    this.#current = configured;
  }

  /** From the next turn on; what the frame doesn't name stays. `take` gives the session its part, unless it is over by then.
   * One change at a time: each is of what the one before has left. */
  change(message: omni.Configuration, take: (change: SettingsChange) => boolean): Promise<Configured | null> {
    const change = this.#changed.then(() => this.#change(message, take));
    this.#changed = change.catch(() => undefined);
    return change;
  }

  async #change(
    message: omni.Configuration,
    take: (change: SettingsChange) => boolean,
  ): Promise<Configured | null> {
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
      voiceGaveWay: keepsVoice && before.voiceGaveWay,
      externalId: before.externalId,
      tools: message.tools === undefined ? before.tools : read.tools,
      knowledge: message.kb_endpoint === undefined ? before.knowledge : read.knowledge,
      complaints: [...read.complaints, ...refused, ...untaken(message)],
    };
    return this.#current;
  }

  #replaceTools(configured: Configured): Complaint[] {
    try {
      const faults = this.#desk.replace(configured.tools, this.#ownTools());
      return faults.map((message) => ({ code: 'invalid_request', message, param: 'tools' }));
    } catch (error) {
      const code = error instanceof TooOften ? 'rate_limit_exceeded' : 'invalid_request';
      const message = error instanceof Error ? error.message : 'not a JSON Schema';
      return [{ code, message, param: 'tools' }];
    }
  }
}
