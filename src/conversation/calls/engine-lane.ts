import { type Clock, systemClock } from '../../foundation/platform/clock.ts';
import {
  type ChooseRecognizer,
  chosenRecognizer,
  type EngineVoice,
  type FlatOptions,
  flattenRecognition,
  flattenVoice,
  type Lane,
  type LaneQueue,
  type OmniEvent,
  OmniVerb,
  omniLane,
  packOptions,
} from '../../media/engine/index.ts';
import type { ProviderUse, RecognitionProviders, SpeechProviders } from '../../speech/providers/index.ts';
import type { CallerAudio } from '../brains/index.ts';
import type { ExpectedAnswer, LaneEvent } from '../session/index.ts';
import { CallerAudioTap } from './caller-audio.ts';
import {
  type FedCallLane,
  type FeedRequest,
  type LaneSegmentOptions,
  ProvidedLane,
} from './provided-lane.ts';
import { ProvidedRecognition } from './provided-recognition.ts';
import type { VoiceEngine, VoiceLaneOptions } from './voice-engine.ts';

/** The delay applies where the end of turn cannot be predicted; the lane waits less or more where it can. */
const ENDPOINTING_MS = 500;

export function createVoiceEngine(
  lanes: Pick<LaneQueue, 'open' | 'onCapacityFreed'>,
  {
    providers,
    recognition,
    chooseRecognizer,
    keepsCallerAudio = false,
    modelsSpeak = false,
    clock = systemClock,
  }: VoiceEngineOptions = {},
): VoiceEngine {
  return {
    async openLane(options) {
      const { plan, language: spoken, languages, recognizer: name, ownProviders: own } = options;
      const chain = providers?.chainOf(options.voiceProvider ?? null, own?.voices) ?? [];
      // An agent that names a voice has that voice.
      const playsModelVoice = modelsSpeak && options.voiceProvider === undefined;
      const recognizer = chosenRecognizer(chooseRecognizer, { language: spoken, languages, plan, name });
      let take = (event: LaneEvent | FeedRequest): void => {
        if (event.kind !== 'feed') options.onEvent(event);
      };
      const tap = keepsCallerAudio ? new CallerAudioTap(options, clock) : null;
      const onEvent = (event: LaneEvent | FeedRequest): void => {
        tap?.take(event);
        take(event);
      };
      const listening = recognition?.chainOf(name ?? null, own?.recognition) ?? [];
      const provided =
        recognition === undefined || listening.length === 0
          ? null
          : new ProvidedRecognition({
              providers: recognition,
              chain: listening,
              clock,
              owner: options.tenant.organization,
              rate: options.rate,
              codec: options.codec,
              language: spoken,
              vocabulary: options.vocabulary,
              onEvent,
            });
      const lane = await lanes.open(
        omniLane,
        {
          rate: options.rate,
          codec: options.codec,
          language: options.language,
          languages: options.languages,
          ...recognizer,
          voice: options.voice,
          voiceUnderLoad: options.voiceUnderLoad,
          endpointingMs: options.endpointingMs ?? ENDPOINTING_MS,
          barge: options.bargeSensitivity,
          locksSpeaker: options.locksSpeaker,
          denoisesRecording: options.denoisesRecording,
          vocabulary: options.vocabulary.map((term) => ({ term })),
          recording: options.recording?.path,
          owner: options.owner,
          seed: options.seed,
          keys: options.keys,
          fed: chain.length > 0 || playsModelVoice,
        },
        listenerOf(options, (event) => (provided === null ? onEvent(event) : provided.take(event))),
        options.tenant,
        options.reservation,
      );
      const heard = new EngineLane(lane, options, recognizer, { provided, tap }, () =>
        lanes.onCapacityFreed(),
      );
      if (providers === undefined || !(chain.length > 0 || playsModelVoice)) return heard;
      const { language } = options;
      const fed = new ProvidedLane({
        lane: heard,
        providers,
        chain,
        clock,
        owner: options.tenant.organization,
        language,
        playsModelVoice,
        onEvent: options.onEvent,
      });
      take = (event) => fed.take(event);
      return fed;
    },
  };
}

export interface VoiceEngineOptions {
  readonly providers?: SpeechProviders;
  readonly recognition?: RecognitionProviders;
  readonly chooseRecognizer?: ChooseRecognizer;
  /** A brain hears the caller, so each call keeps the sound of its last utterance. */
  readonly keepsCallerAudio?: boolean;
  /** Some brain has a voice of its own. */
  readonly modelsSpeak?: boolean;
  readonly clock?: Clock;
}

/** The lane reports its end once; the session needs only an end that it did not ask for. */
function listenerOf(
  { recording }: Pick<VoiceLaneOptions, 'recording'>,
  onEvent: (event: LaneEvent | FeedRequest) => void,
) {
  return {
    audio: (bytes: Uint8Array) => onEvent({ kind: 'audio', pcm: bytes }),
    event: (event: OmniEvent) => {
      if (event.kind === 'recording') {
        if (event.began) recording?.began(event.atMs);
        else recording?.failed(event.message);
      } else if (event.kind !== 'duck') onEvent(event);
    },
    closed: (status: string) => {
      recording?.closed();
      if (status !== 'ok') onEvent({ kind: 'engine_failed', message: status });
    },
  };
}

const WHOLE_TEXT = 0xffff_ffff;
/** The words that are expected now displace those of the call. */
const MOST_TERMS = 200;

class EngineLane implements FedCallLane {
  readonly #lane: Lane<OmniEvent>;
  readonly #vocabulary: readonly string[];
  /** The cost of the lane depends on these, beside its voice. */
  readonly #priced: FlatOptions;
  readonly #provided: ProvidedRecognition | null;
  readonly #tap: CallerAudioTap | null;
  readonly #onCapacity: () => void;
  readonly #records: boolean;
  #language: string;
  #languages: readonly string[];

  constructor(
    lane: Lane<OmniEvent>,
    options: VoiceLaneOptions,
    recognizer: ReturnType<typeof chosenRecognizer>,
    { provided, tap }: { provided: ProvidedRecognition | null; tap: CallerAudioTap | null },
    onCapacity: () => void,
  ) {
    this.#lane = lane;
    this.#vocabulary = options.vocabulary;
    this.#priced = {
      ...recognizer,
      primary_speaker: options.locksSpeaker,
      denoise_recording: options.denoisesRecording,
    };
    this.#provided = provided;
    this.#tap = tap;
    this.#language = options.language;
    this.#languages = options.languages ?? [];
    this.#onCapacity = onCapacity;
    this.#records = options.recording !== undefined;
  }

  get usesVoiceUnderLoad(): boolean {
    return this.#lane.usesVoiceUnderLoad;
  }

  get ref(): { slot: number; generation: number } {
    const { slot, generation } = this.#lane;
    return { slot, generation };
  }

  push = (pcm: Uint8Array): boolean => {
    if (this.#lane.push(pcm) === 'full') return false;
    this.#provided?.push(pcm);
    this.#tap?.push(pcm);
    return true;
  };

  callerAudio = (message: string): CallerAudio | null => this.#tap?.of(message) ?? null;

  get providerUse(): readonly ProviderUse[] {
    return [...(this.#provided?.providerUse ?? []), ...(this.#tap?.providerUse ?? [])];
  }

  speak(speech: number, segment: number, text: string, options: LaneSegmentOptions): void {
    const { held, yields, fedRate: fed_rate } = options;
    this.#lane.control(OmniVerb.speak, packOptions({ speech, segment, held, yields, text, fed_rate }));
  }

  feed(speech: number, segment: number, pcm: Uint8Array): boolean {
    const body = Buffer.alloc(8 + pcm.length);
    body.writeUInt32LE(speech);
    body.writeUInt32LE(segment, 4);
    body.set(pcm, 8);
    return this.#lane.control(OmniVerb.sound, body) !== 'full';
  }

  endFeed(speech: number, segment: number, fromByte: number | null): boolean {
    const body = Buffer.alloc(12);
    body.writeUInt32LE(speech);
    body.writeUInt32LE(segment, 4);
    body.writeUInt32LE(fromByte ?? WHOLE_TEXT, 8);
    return this.#lane.control(OmniVerb.soundEnd, body) !== 'full';
  }

  finish = (speech: number): void => this.#number(OmniVerb.finish, speech);
  release = (speech: number): void => this.#number(OmniVerb.release, speech);
  discard = (speech: number): void => this.#number(OmniVerb.discard, speech);
  stopPlayback = (): void => void this.#lane.control(OmniVerb.interrupt);
  record = (): void => void this.#lane.control(OmniVerb.record);
  pauseRecording = (): void => void this.#lane.control(OmniVerb.pauseRecording);

  setVoice(voice: EngineVoice): void {
    this.#lane.control(OmniVerb.voice, packOptions({ ...flattenVoice(voice), ...this.#priced }));
    this.#onCapacity();
  }

  setLanguage(language: string): void {
    this.#language = language;
    this.#provided?.setLanguage(language);
    const languages = this.#languages.length > 1 ? [...this.#languages] : undefined;
    this.#lane.control(OmniVerb.language, packOptions({ language, languages }));
  }

  setLanguages(languages: readonly string[]): void {
    this.#languages = languages;
    this.setLanguage(this.#language);
  }

  setExpectedAnswer(answer: ExpectedAnswer | null): void {
    const words = [...new Set([...(answer?.vocabulary ?? []), ...this.#vocabulary])].slice(0, MOST_TERMS);
    this.#provided?.setVocabulary(words);
    const vocabulary = words.map((term) => ({ term }));
    const { before } = answer ?? {};
    this.#lane.control(OmniVerb.terms, packOptions(flattenRecognition({ vocabulary, before })));
  }

  setPlayoutDelay = (ms: number): void => this.#number(OmniVerb.lag, ms);

  close = (): void => {
    this.#provided?.close();
    // The engine writes the rest of a recording before the lane ends.
    if (this.#records) this.#lane.close();
    else this.#lane.drop();
  };

  #number(verb: number, value: number): void {
    const body = new Uint8Array(4);
    new DataView(body.buffer).setUint32(0, value, true);
    this.#lane.control(verb, body);
  }
}
