import type { Clock } from '../../foundation/platform/clock.ts';
import type { EngineVoice } from '../../media/engine/index.ts';
import {
  type HedgedSpeech,
  hedgedSpeech,
  type ProviderError,
  type ProviderFault,
  type ProviderUse,
  ProviderUses,
  type SpeechProvider,
  type SpeechProviders,
} from '../../speech/providers/index.ts';
import type { AnswerVoice } from '../brains/index.ts';
import type { ExpectedAnswer, LaneEvent, SpeakOptions, VoiceLane } from '../session/index.ts';
import { ModelVoice } from './model-voice.ts';
import { type FedLane, SegmentFeed } from './segment-feed.ts';
import type { CallLane } from './voice-engine.ts';

export interface LaneSegmentOptions extends SpeakOptions {
  readonly fedRate?: number;
}

export interface FedCallLane extends CallLane, FedLane {
  speak(speech: number, segment: number, text: string, options: LaneSegmentOptions): void;
}

export interface FeedRequest {
  readonly kind: 'feed';
  readonly speech: number;
  readonly segment: number;
  readonly wantedMs: number;
}

export interface ProvidedLaneOptions {
  readonly lane: FedCallLane;
  readonly providers: SpeechProviders;
  readonly chain: readonly SpeechProvider[];
  readonly clock: Clock;
  /** The organization of the call. */
  readonly owner: string;
  readonly language: string;
  readonly playsModelVoice?: boolean;
  readonly onEvent: (event: LaneEvent) => void;
}

/** A provider makes the next sentence while one is played. */
const MAX_IN_FLIGHT = 2;
const asWritten = (text: string): string => text;

interface Segment {
  readonly speech: number;
  readonly segment: number;
  readonly text: string;
  readonly spell: (text: string) => string;
  readonly provider: SpeechProvider | ModelVoice;
  feed: SegmentFeed | null;
  wantedMs: number;
}

/**
 * A provider, or the own voice of a realtime model, makes the lane's speech. Where its audio is late or incomplete, the lane's own voice speaks from the
 * last played word to the end of that turn.
 */
export class ProvidedLane implements CallLane {
  readonly #options: ProvidedLaneOptions;
  readonly #lane: FedCallLane;
  #segments: Segment[] = [];
  /**
   * One voice speaks a whole speech, because alternating voices would be worse than either. Null means the lane's own
   * voice.
   */
  readonly #speakers = new Map<number, SpeechProvider | null>();
  readonly #untold = new Map<number, ProviderFault>();
  readonly #heard = new Set<number>();
  readonly #modelVoices = new WeakMap<AnswerVoice, ModelVoice>();
  readonly #failedModels = new WeakSet<ModelVoice>();
  /** Two providers are asked for the first text of these speeches. */
  readonly #undecided = new Set<number>();
  readonly #uses: ProviderUses;
  #language: string;

  constructor(options: ProvidedLaneOptions) {
    this.#options = options;
    this.#lane = options.lane;
    this.#language = options.language;
    this.#uses = new ProviderUses('speech', options.clock);
    this.push = options.lane.push.bind(options.lane);
  }

  readonly push: VoiceLane['push'];

  get ref(): VoiceLane['ref'] {
    return this.#lane.ref;
  }

  get playsModelVoice(): boolean {
    return this.#options.playsModelVoice === true;
  }

  get usesVoiceUnderLoad(): boolean {
    return this.#lane.usesVoiceUnderLoad;
  }

  get providerUse(): readonly ProviderUse[] {
    return [...this.#uses.all, ...(this.#lane.providerUse ?? [])];
  }

  speak(speech: number, segment: number, text: string, options: SpeakOptions): void {
    const { voice, spell = asWritten, ...how } = options;
    const spelled = spell(text);
    const provider = voice === undefined ? this.#speakerOf(speech) : this.#admittedModel(voice);
    if (provider === null) {
      this.#lane.speak(speech, segment, spelled, how);
      return;
    }
    this.#lane.speak(speech, segment, spelled, { ...how, fedRate: provider.rate });
    this.#segments.push({ speech, segment, text, spell, provider, feed: null, wantedMs: 0 });
    this.#askNext();
  }

  finish = (speech: number): void => this.#lane.finish(speech);
  release = (speech: number): void => this.#lane.release(speech);
  stopPlayback = (): void => this.#lane.stopPlayback();
  setVoice = (voice: EngineVoice): void => this.#lane.setVoice(voice);
  callerAudio: NonNullable<VoiceLane['callerAudio']> = (message) => this.#lane.callerAudio?.(message) ?? null;
  setExpectedAnswer = (answer: ExpectedAnswer | null): void => this.#lane.setExpectedAnswer?.(answer);
  setPlayoutDelay = (ms: number): void => this.#lane.setPlayoutDelay?.(ms);
  record = (): void => this.#lane.record?.();
  pauseRecording = (): void => this.#lane.pauseRecording?.();

  setLanguages: NonNullable<CallLane['setLanguages']> = (languages) => this.#lane.setLanguages?.(languages);

  setLanguage(language: string): void {
    this.#language = language;
    this.#lane.setLanguage(language);
  }

  discard(speech: number): void {
    this.#drop((segment) => segment.speech === speech);
    this.#forget(speech);
    this.#lane.discard(speech);
  }

  close(): void {
    this.#drop(() => true);
    this.#lane.close();
  }

  take(event: LaneEvent | FeedRequest): void {
    switch (event.kind) {
      case 'feed':
        this.#onFeedRequest(event);
        return;
      case 'playing':
        this.#segments
          .find((one) => one.speech === event.speech && one.segment === event.segment)
          ?.feed?.onPlaying();
        this.#options.onEvent(event);
        this.#heard.add(event.speech);
        this.#notify(event.speech);
        return;
      case 'speech_interrupted':
        this.#drop(({ speech }) => speech <= event.speech);
        this.#forget(event.speech);
        break;
      case 'speech_played':
        this.#drop(({ speech }) => speech === event.speech);
        this.#forget(event.speech);
        break;
      case 'engine_failed':
        this.#drop(() => true);
    }
    this.#options.onEvent(event);
  }

  #speakerOf(speech: number): SpeechProvider | null {
    const { providers, chain, owner } = this.#options;
    const known = this.#speakers.get(speech);
    const speaker = known === undefined ? providers.admitted(chain, this.#language, owner) : known;
    this.#speakers.set(speech, speaker);
    return speaker;
  }

  /** Returns null where the lane's own voice speaks the rest of the answer. */
  #admittedModel(answer: AnswerVoice): ModelVoice | null {
    const { providers, owner, clock } = this.#options;
    let voice = this.#modelVoices.get(answer);
    if (voice === undefined) {
      voice = new ModelVoice(answer, clock, (made) => providers.paceOf(made, owner));
      this.#modelVoices.set(answer, voice);
      if (providers.admitted([voice], this.#language, owner) === null) this.#failedModels.add(voice);
    }
    return this.#failedModels.has(voice) ? null : voice;
  }

  #isLeftToLane({ speech, provider }: Segment): boolean {
    return provider instanceof ModelVoice
      ? this.#failedModels.has(provider)
      : this.#speakers.get(speech) === null;
  }

  #onFeedRequest({ speech, segment, wantedMs }: FeedRequest): void {
    const wanted = this.#segments.find((one) => one.speech === speech && one.segment === segment);
    if (wanted === undefined) return;
    wanted.wantedMs = wantedMs;
    wanted.feed?.grant(wantedMs);
  }

  #askNext(): void {
    const running = this.#segments.filter(({ feed }) => feed !== null && !feed.isDone).length;
    const next = this.#segments.find(({ feed }) => feed === null);
    if (next === undefined || running >= MAX_IN_FLIGHT || this.#undecided.has(next.speech)) return;
    const { clock, providers, owner } = this.#options;
    const { speech, segment, text, spell } = next;
    const before = this.#segments[this.#segments.indexOf(next) - 1];
    const { provider: own } = next;
    let provider = own instanceof ModelVoice ? own : (this.#speakers.get(speech) ?? own);
    const feed: SegmentFeed = new SegmentFeed({
      clock,
      lane: this.#lane,
      provider: this.#hedged(next, provider, (chosen) => {
        provider = chosen;
      }),
      get pace() {
        return own instanceof ModelVoice ? own.pace : providers.paceOf(provider, owner);
      },
      speech,
      segment,
      text,
      spell,
      language: this.#language,
      before: before?.feed ?? null,
      followsBefore: own instanceof ModelVoice && before?.provider === own,
      onDone: (failure, soundMs) => {
        this.#undecided.delete(speech);
        this.#uses.of(provider).soundMs += soundMs;
        if (failure === null) providers.onSuccess(provider, owner);
        else this.#onSpeechFailure(next, provider, failure);
        this.#askNext();
      },
    });
    next.feed = feed;
    if (this.#isLeftToLane(next)) {
      this.#undecided.delete(speech);
      feed.leaveToLane();
      if (next.wantedMs > 0) feed.grant(next.wantedMs);
      this.#askNext();
      return;
    }
    this.#countRequest(provider, text);
    feed.start();
    if (next.wantedMs > 0) feed.grant(next.wantedMs);
    this.#askNext();
  }

  /** The first text of a speech may be asked of two providers; whoever is first speaks the rest as well. */
  #hedged(
    { speech, segment, text, provider }: Segment,
    first: SpeechProvider,
    onChosen: (provider: SpeechProvider) => void,
  ): HedgedSpeech {
    const { providers, chain, clock, owner } = this.#options;
    const isFirst = !this.#segments.some((one) => one.speech === speech && one.segment < segment);
    const others = chain.filter((one) => one !== first && one.rate === first.rate);
    if (provider instanceof ModelVoice || first.hedgeMs === undefined || !isFirst || others.length === 0)
      return first;
    this.#undecided.add(speech);
    return hedgedSpeech({
      first,
      other: () => providers.admitted(others, this.#language, owner),
      afterMs: first.hedgeMs,
      clock,
      onOtherAsked: (other) => this.#countRequest(other, text),
      onFailed: (provider, error) => this.#onFailure(provider, error),
      onChosen: (provider) => {
        onChosen(provider);
        this.#speakers.set(speech, provider);
        this.#undecided.delete(speech);
        this.#askNext();
      },
    });
  }

  #countRequest(provider: SpeechProvider, text: string): void {
    const use = this.#uses.of(provider);
    use.requests += 1;
    use.characters += text.length;
    use.costMicros = Math.round((use.characters * provider.microsPerThousandCharacters) / 1000);
  }

  #onFailure(provider: SpeechProvider, failure: ProviderError): void {
    this.#uses.failed(provider);
    const { providers, owner } = this.#options;
    providers.onFailure(provider, failure, owner);
  }

  #onSpeechFailure(failed: Segment, provider: SpeechProvider, failure: ProviderError): void {
    const { speech } = failed;
    if (provider instanceof ModelVoice) {
      this.#failedModels.add(provider);
      // The texts behind it take their audio from the same stream, which goes on within the failed text.
      for (const one of this.#segments.slice(this.#segments.indexOf(failed) + 1))
        if (one.provider === provider) one.feed?.leaveToLane();
    } else this.#speakers.set(speech, null);
    this.#onFailure(provider, failure);
    if (!this.#untold.has(speech)) this.#untold.set(speech, failure.fault);
    this.#notify(speech);
  }

  /** A speculative speech may never be played, so its failure is reported with its first audio. */
  #notify(speech: number): void {
    const fault = this.#untold.get(speech);
    if (fault === undefined || !this.#heard.has(speech)) return;
    this.#untold.delete(speech);
    this.#options.onEvent({ kind: 'voice_fallback', speech, fault });
  }

  #drop(isDropped: (segment: Segment) => boolean): void {
    for (const segment of this.#segments) {
      if (!isDropped(segment)) continue;
      segment.feed?.cancel();
      this.#undecided.delete(segment.speech);
    }
    this.#segments = this.#segments.filter((segment) => !isDropped(segment));
    this.#askNext();
  }

  #forget(speech: number): void {
    this.#speakers.delete(speech);
    this.#untold.delete(speech);
    this.#heard.delete(speech);
  }
}
