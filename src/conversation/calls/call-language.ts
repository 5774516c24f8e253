import type { EngineVoice } from '../../media/engine/index.ts';
import type { Profile } from '../agents/index.ts';
import type { LaneEvent, Session } from '../session/index.ts';
import type { CallAgent } from './call-agent.ts';
import type { CallSettings } from './call-settings.ts';
import { CallerLanguage } from './caller-language.ts';
import type { ServedLanguage } from './configuration.ts';
import type { CallTransport, LanguageChange } from './contract.ts';
import { LanguageFilter } from './language-filter.ts';
import { profileSettings } from './profile-settings.ts';

export interface CallLanguageOptions {
  readonly agent: CallAgent;
  readonly settings: CallSettings;
  readonly transport: Pick<CallTransport, 'languageChanged'>;
  readonly session: () => Session | null;
  readonly atMs: () => number;
}

/** A change of language switches recognition, voice, phrases, the model's instruction and capture together. */
export class CallLanguage {
  readonly changes: LanguageChange[] = [];
  readonly #options: CallLanguageOptions;
  readonly #caller: CallerLanguage;
  readonly #voices = new Map<string, string>();
  #speed = 1;
  #chosen: ServedLanguage | null = null;

  constructor(options: CallLanguageOptions) {
    this.#options = options;
    this.#caller = new CallerLanguage(() => options.agent.identifiedLanguages());
  }

  get current(): ServedLanguage {
    return this.#options.settings.current?.language ?? 'en';
  }

  filter(notify: (event: LaneEvent) => void): LanguageFilter {
    return new LanguageFilter(
      (utterance) => this.#caller.heard(utterance, this.current),
      ({ to, reason }) => this.switchTo(to, reason),
      notify,
    );
  }

  setSpeed(speed: number): void {
    const { settings, session } = this.#options;
    const voice = settings.current?.voice.engine;
    if (voice === undefined || speed === this.#speed) return;
    this.#speed = speed;
    session()?.reconfigure({}, this.paced(voice));
  }

  /** Returns the voice at the speed of the flow's step. */
  paced(voice: EngineVoice): EngineVoice {
    if (this.#speed === 1) return voice;
    return { ...voice, manner: { ...voice.manner, speed: (voice.manner?.speed ?? 1) * this.#speed } };
  }

  /** The caller chose the language that the call is in; a handoff may have brought another one. */
  get isCallers(): boolean {
    const before = this.changes.findLast(({ reason }) => reason === 'detected' || reason === 'asked');
    return (this.#chosen ?? before?.to) === this.current;
  }

  note(change: LanguageChange): void {
    this.changes.push(change);
    this.#options.transport.languageChanged?.(change);
  }

  /** Applies from the next turn on. Returns false where the call does not change its language. */
  async switchTo(to: ServedLanguage, reason: LanguageChange['reason']): Promise<boolean> {
    const { settings, session, atMs } = this.#options;
    const from = this.current;
    if (settings.current === null || from === to) return settings.current !== null;
    if (!(await this.apply(to))) return false;
    this.#chosen = to;
    const live = session();
    if (live === null) return false;
    // A tool acts on the caller's last turn; an utterance belongs to the turn that it starts.
    const last = live.conversation.transcript.at(-1)?.turnId ?? 0;
    const turnId = reason === 'tool' || reason === 'flow' ? last : live.callerTurn;
    this.note({ from, to, reason, turnId, atMs: atMs() });
    return true;
  }

  /** Changes the language and does not report it. Returns false where the call has ended. */
  async apply(to: ServedLanguage): Promise<boolean> {
    const { agent, settings, session } = this.#options;
    const before = settings.current;
    if (before === null) return false;
    const { language: from, voice } = before;
    const { profile } = agent;
    const voiceId = this.#voices.get(keyOf(profile, to)) ?? ownVoice(profile, to);
    const changed = await settings.change(
      { type: 'configure', language: to, ...(voiceId === null ? {} : { voice_id: voiceId }) },
      (change) => {
        const live = session();
        if (live === null) return false;
        const next = change.voice === null ? null : this.paced(change.voice);
        live.reconfigure({ ...change.session, phrases: phrasesIn(to, profile) }, next);
        return true;
      },
    );
    if (changed === null) return false;
    this.#voices.set(keyOf(profile, from), voice.id);
    return true;
  }
}

const keyOf = (profile: Profile | null, language: string): string => `${profile?.agentId ?? ''} ${language}`;

const languageOf = (profile: Profile): string => profile.fields.language ?? 'en';

const ownVoice = (profile: Profile | null, language: string): string | null =>
  profile !== null && languageOf(profile) === language ? profile.fields.voice_id : null;

/** An agent's own wordings are in its own language, but its silences apply in every language. */
function phrasesIn(language: string, profile: Profile | null) {
  const { phrases = {} } = profileSettings(profile, false).session;
  if (profile === null || languageOf(profile) === language) return phrases;
  return Object.fromEntries(Object.entries(phrases).filter(([, words]) => words === null));
}
