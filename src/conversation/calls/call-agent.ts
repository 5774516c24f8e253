import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { Log } from '../../foundation/platform/log.ts';
import type { CaptureKind, CaptureRequest } from '../../language/capture/index.ts';
import { dayIn } from '../../language/capture/index.ts';
import type { omni } from '../../media/wire/index.ts';
import type { AgentMemories, CallTools, Profile, ProfileSource, ToolSource } from '../agents/index.ts';
import type { TransferManner } from '../flows/index.ts';
import type { Interlude, SessionTool } from '../session/index.ts';
import type { HandoffRequest, HandoffResult } from './agent-handoff.ts';
import { applyProfile } from './apply-profile.ts';
import { type BuiltinToolActions, builtinTools } from './builtin-tools.ts';
import { CallKnowledge, type KnowledgeBaseSource } from './call-knowledge.ts';
import { type AgentMessaging, CallMessages, type SendMessageResult } from './call-messages.ts';
import type { CapturedValue, CaptureFailure, CaptureOptions } from './capture-interlude.ts';
import { CaptureLog } from './capture-log.ts';
import { captureOf, isRecordKind } from './capture-of.ts';
import { SERVED_LANGUAGES, type ServedLanguage } from './configuration.ts';
import type { CallerConnection, CallTransport } from './contract.ts';
import { type LookupTools, type RecordSource, recordSource } from './record-source.ts';
import { type ClassifyLine, WaitInterlude } from './wait-interlude.ts';

export interface AgentServices {
  readonly profiles: ProfileSource;
  readonly tools: ToolSource;
  readonly memories: Pick<AgentMemories, 'add' | 'of'>;
  readonly knowledge?: KnowledgeBaseSource;
  readonly messaging?: () => AgentMessaging | null;
  readonly classifyLine: ClassifyLine;
}

export interface CallAgentOptions {
  readonly services: AgentServices | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly scope: TenantScope;
  readonly caller: CallerConnection;
  readonly transport: CallTransport;
  readonly language: () => ServedLanguage;
  readonly record: (on: boolean) => boolean;
  readonly handOff: (request: HandoffRequest) => Promise<HandoffResult | null>;
  readonly switchLanguage: (language: ServedLanguage, by: 'tool' | 'flow') => Promise<boolean>;
  readonly onCaptured: () => void;
  readonly lookupTools: LookupTools;
}

export interface CaptureOrder {
  readonly slot: string;
  readonly kind: CaptureKind;
  readonly prompt?: string;
  readonly lookup?: string;
}

export class UnusableLookup extends Error {}

const MAX_HOLD_WAIT_MS = 30 * 60_000;

type Message = Partial<omni.Configuration>;

export class CallAgent implements BuiltinToolActions {
  readonly knowledge: CallKnowledge;
  readonly captureLog = new CaptureLog();
  readonly #options: CallAgentOptions;
  #profile: Profile | null = null;
  #tools: CallTools | null = null;
  readonly #left: CallTools[] = [];
  #builtin: readonly SessionTool[] = [];
  #externalId: string | null = null;
  #texts: CallMessages | null = null;

  constructor(options: CallAgentOptions) {
    this.#options = options;
    const { services, clock, scope, log, caller } = options;
    this.knowledge = new CallKnowledge({
      hosted: services?.knowledge ?? null,
      clock,
      scope,
      bases: () => this.#profile?.fields.knowledge_base_ids ?? [],
      onFault: (err) =>
        log.warn(
          { err, call: caller.callId },
          'the search in the knowledge bases failed; the agent answers without passages',
        ),
    });
  }

  get profile(): Profile | null {
    return this.#profile;
  }

  /**
   * The built-in tools come first, so that no MCP server can replace them. The tools of a `configure` are added to
   * these and replace those of the same name.
   */
  get tools(): readonly SessionTool[] {
    return [...this.#builtin, ...(this.#tools?.tools ?? [])];
  }

  /** Returns the frame completed by the profile. Throws ApiError where the agent cannot serve. */
  async load(message: Message, label = this.#options.caller.sessionLabel): Promise<Message> {
    const { services, scope, caller } = this.#options;
    if (services === undefined) return message;
    const profile = await services.profiles.profileFor(scope, label, caller.callId);
    this.#profile = profile;
    const whole = applyProfile(message, profile);
    this.#externalId = typeof whole.meta?.external_id === 'string' ? whole.meta.external_id : null;
    if (profile !== null) await this.#loadTools(services, profile);
    const vocabulary = await this.knowledge.vocabulary(whole.vocabulary ?? [], whole.language ?? 'en');
    return vocabulary.length === 0 ? whole : { ...whole, vocabulary: [...vocabulary] };
  }

  async #loadTools({ tools, messaging: texts }: AgentServices, { agentId, fields }: Profile): Promise<void> {
    const { scope, caller, log } = this.#options;
    const { callId, sessionLabel } = caller;
    const call = { scope, callId, agentId, sessionLabel, externalId: this.#externalId };
    this.#tools = await tools.forCall(fields, call);
    const trusted = caller.principal.browser === null;
    const sends = texts?.() ?? null;
    this.#texts = new CallMessages({
      messaging: sends,
      scope,
      trusted,
      agentId,
      person: this.#externalId,
    });
    const offered = fields.builtin_tools.filter((name) => name !== 'send_message' || sends !== null);
    this.#builtin = builtinTools(offered, this);
    for (const fault of this.#tools.faults)
      log.warn({ call: callId, fault }, 'a tool could not be loaded; the agent runs without it');
  }

  /** Resolves with null where no published agent of the account has this label. */
  async profileOf(label: string): Promise<Profile | null> {
    const { services, scope, caller } = this.#options;
    return (await services?.profiles.profileFor(scope, label, caller.callId).catch(() => null)) ?? null;
  }

  /** Hands the call to another agent. */
  async takeOver(profile: Profile): Promise<void> {
    const { services } = this.#options;
    if (services === undefined) return;
    if (this.#tools !== null) this.#left.push(this.#tools);
    this.#tools = null;
    this.#profile = profile;
    await this.#loadTools(services, profile);
  }

  async recallMemories(): Promise<string | null> {
    const { services, scope } = this.#options;
    if (services === undefined || this.#profile === null || this.#externalId === null) return null;
    if (!this.#profile.fields.builtin_tools.includes('remember')) return null;
    const facts = await services.memories.of(scope, this.#profile.agentId, this.#externalId);
    return facts.length === 0 ? null : `Known of this caller from earlier calls: ${facts.join('; ')}`;
  }

  /** Captures a value at the client's request: the client gets the result, and the model is not asked. */
  capture({ slot, kind, prompt, lookup }: CaptureOrder): Interlude {
    if (lookup !== undefined) {
      const isKnown = this.lookups().includes(lookup);
      if (!isKnown) throw new UnusableLookup(`the agent has no lookup ${lookup}`);
      if (!isRecordKind(kind)) throw new UnusableLookup(`a value of kind ${kind} cannot have a lookup`);
    }
    const order = { slot, kind, hints: this.hints(), ...(prompt === undefined ? {} : { prompt }) };
    return captureOf(order, lookup === undefined ? null : this.records(lookup), this, false);
  }

  lookups(): readonly string[] {
    return (this.#profile?.fields.lookups ?? []).map(({ name }) => name);
  }

  records(lookup: string): RecordSource | null {
    const found = this.#profile?.fields.lookups.find(({ name }) => name === lookup);
    return found === undefined ? null : recordSource(found, this.#options.lookupTools);
  }

  waitFor(until: 'human' | 'hold_end'): WaitInterlude {
    const { clock, services } = this.#options;
    return new WaitInterlude({
      clock,
      until,
      hear: services?.classifyLine ?? (() => 'person'),
      longestMs: MAX_HOLD_WAIT_MS,
    });
  }

  hints(): CaptureRequest['hints'] {
    const { clock, language } = this.#options;
    const zone = this.#profile?.fields.time_zone ?? 'UTC';
    return { language: language(), today: dayIn(zone, clock.now()) };
  }

  record(on: boolean): boolean {
    return this.#options.record(on);
  }

  transfer(to: string, summary: string, manner?: TransferManner): void {
    this.#options.transport.transfer(to, summary, manner);
  }

  handOff(request: HandoffRequest): Promise<HandoffResult | null> {
    return this.#options.handOff(request);
  }

  languages(): readonly ServedLanguage[] {
    const identified = this.identifiedLanguages();
    return identified.length === 0 ? SERVED_LANGUAGES : identified;
  }

  identifiedLanguages(): readonly ServedLanguage[] {
    const { language, languages = [] } = this.#profile?.fields ?? {};
    if (languages === 'auto') return SERVED_LANGUAGES;
    if (languages.length === 0) return [];
    return SERVED_LANGUAGES.filter((code) => code === (language ?? 'en') || languages.includes(code));
  }

  switchLanguage(language: ServedLanguage, by: 'tool' | 'flow'): Promise<boolean> {
    return this.#options.switchLanguage(language, by);
  }

  sendKeys(digits: string): void {
    this.#options.transport.sendKeys(digits);
  }

  async remember(fact: string): Promise<boolean> {
    const { services, scope } = this.#options;
    if (services === undefined || this.#profile === null || this.#externalId === null) return false;
    await services.memories.add(scope, this.#profile.agentId, this.#externalId, fact);
    return true;
  }

  async sendMessage(body: string): Promise<SendMessageResult> {
    return (await this.#texts?.send(body)) ?? { error: 'this server carries no messages' };
  }

  captured(order: CaptureOptions, result: CapturedValue): void {
    const { slot, kind } = order;
    this.captureLog.captured(order, result);
    this.#options.onCaptured();
    this.#options.transport.captured(slot, kind, result);
  }

  failed(order: CaptureOptions, reason: CaptureFailure): void {
    this.captureLog.failed(order, reason);
    this.#options.onCaptured();
    this.#options.transport.captureFailed(order.slot, reason);
  }

  close(): void {
    for (const tools of [...this.#left, this.#tools]) void tools?.close().catch(() => undefined);
  }
}
