import { CallAudioFeatures } from './call-audio-features.ts';
import { type Answer, type AnswerVerdict, type ClassifiedAnswer, type Evidence, HEARD } from './contract.ts';
import { cuesOf, reasonsFor, type WeightedCue } from './cues.ts';
import type { AnswerModel } from './phrases/index.ts';
import { endOfSpeechMs, sureness, type Tunables, timeOf } from './tunables.ts';

/** The prior holds before any audio: people answer most calls, and faxes are rare. */
const PRIOR: Readonly<Record<ClassifiedAnswer, number>> = {
  human: 0.4,
  voicemail: 0.3,
  ivr: 0,
  receptionist: -0.3,
  screening: -0.6,
  dead_number: -0.6,
  fax: -3,
};

/** Words alone make a verdict of a machine only above this likelihood, where no other sound indicates one. */
const MACHINE_LEAST = 0.7;
const SHOWING: readonly string[] = ['beep', 'sit'];
/** A ringing line pauses this long between rings, so silence counts from the ring that did not come. */
const RING_REST_MS = 4000;
/**
 * Speech after an information tone is stronger evidence than the tone; without speech the tone decides after this
 * time.
 */
const AFTER_TONE_MS = 2500;

/**
 * Decides once who answered. It has no clock of its own, so the same calls with the same times give the same verdict.
 */
export class AnswerClassifier {
  readonly heard = new CallAudioFeatures();
  readonly #model: AnswerModel;
  readonly #tunables: Tunables;
  readonly #sinceMs: number;
  #verdict: AnswerVerdict | undefined;

  constructor(model: AnswerModel, tunables: Tunables, sinceMs = 0) {
    this.#sinceMs = sinceMs;
    this.#model = model;
    this.#tunables = tunables;
  }

  get verdict(): AnswerVerdict | undefined {
    return this.#verdict;
  }

  take(evidence: Evidence): void {
    this.heard.take(evidence);
  }

  at(nowMs: number): AnswerVerdict | undefined {
    this.#verdict ??= this.#tone(nowMs) ?? this.#silence(nowMs) ?? this.#weigh(nowMs) ?? this.#timeout(nowMs);
    return this.#verdict;
  }

  end(nowMs: number): AnswerVerdict {
    if (this.heard.speechSpans.length > 0) this.#verdict ??= this.#likeliest(nowMs, 0);
    this.#verdict ??= says('no_answer', 'ended_early', 1, nowMs);
    return this.#verdict;
  }

  #tone(nowMs: number): AnswerVerdict | undefined {
    const of = (...tones: string[]) => this.heard.tones.find(({ tone }) => tones.includes(tone));
    if (of('fax_ced', 'fax_cng')) return this.#say('fax', 'fax_tone', nowMs);
    if (of('busy')) return says('no_answer', 'busy_tone', 0.99, nowMs);
    if (of('reorder')) return says('no_answer', 'congestion_tone', 0.95, nowMs);
    const sit = of('sit');
    if (
      sit &&
      !this.heard.speaking &&
      nowMs - sit.toMs > AFTER_TONE_MS &&
      this.heard.speechSpans.length === 0
    ) {
      return this.#say('dead_number', 'sit_tone', nowMs);
    }
    return undefined;
  }

  /** Silence does not count while a ringback tone plays. */
  #silence(nowMs: number): AnswerVerdict | undefined {
    if (this.heard.speechSpans.length > 0 || this.heard.music.playing) return undefined;
    const last = this.heard.tones.at(-1)?.toMs ?? this.#sinceMs;
    if (this.heard.tones.some(({ tone }) => tone === 'ringback')) return undefined;
    const rest = this.heard.rang ? RING_REST_MS : 0;
    if (nowMs - last < this.#tunables.silenceTimeoutMs + rest) return undefined;
    return says('no_answer', 'silence', 0.9, nowMs);
  }

  #weigh(nowMs: number): AnswerVerdict | undefined {
    const { heard } = this;
    if (heard.speechSpans.length === 0 && !heard.music.playing) return undefined;
    const sure = sureness(this.#tunables.aggressiveness);
    const quiet = heard.quietMs(nowMs);
    if (heard.speaking || quiet < endOfSpeechMs(this.#tunables))
      return this.#whileSpeaking(nowMs, sure.speaking);
    if (quiet >= timeOf('enoughQuiet', this.#tunables)) return this.#rested(nowMs);
    if (!heard.worded && quiet < timeOf('wordsPatience', this.#tunables))
      return this.#whileSpeaking(nowMs, sure.speaking);
    return this.#likeliest(nowMs, sure.quiet) ?? this.#waiting(nowMs, quiet);
  }

  /** A line without evidence of a machine counts as a person, because hanging up cannot be undone. */
  #rested(nowMs: number): AnswerVerdict | undefined {
    const verdict = this.#likeliest(nowMs, 0);
    const { music, repeat, text, tones } = this.heard;
    const shown = music.playing || repeat || text === '' || tones.some(({ tone }) => SHOWING.includes(tone));
    if (!verdict || isPerson(verdict) || shown || verdict.confidence >= MACHINE_LEAST) return verdict;
    return this.#say('human', 'waits_for_an_answer', nowMs, round(1 - verdict.confidence));
  }

  /** Long quiet after speech indicates a person who waits for an answer, where a person is the likeliest. */
  #waiting(nowMs: number, quietMs: number): AnswerVerdict | undefined {
    if (quietMs < timeOf('personQuiet', this.#tunables)) return undefined;
    const verdict = this.#likeliest(nowMs, 0);
    return verdict && isPerson(verdict) ? verdict : undefined;
  }

  #whileSpeaking(nowMs: number, sure: number): AnswerVerdict | undefined {
    const { music } = this.heard;
    const least = timeOf('leastSpeaking', this.#tunables);
    if (this.heard.spokenMs(nowMs) < least && !music.playing) return undefined;
    const verdict = this.#likeliest(nowMs, sure);
    // A verdict of a person waits for the pause: people may talk on, and hanging up on them cannot be undone.
    return verdict && isPerson(verdict) ? undefined : verdict;
  }

  #timeout(nowMs: number): AnswerVerdict | undefined {
    if (nowMs - this.#sinceMs < this.#tunables.timeoutMs) return undefined;
    if (this.heard.speechSpans.length > 0)
      return this.#likeliest(nowMs, 0.6) ?? says('unknown', 'timeout', 0.5, nowMs);
    const rings = this.heard.tones.some(({ tone }) => tone === 'ringback');
    return says(rings ? 'no_answer' : 'unknown', rings ? 'rings_on' : 'timeout', rings ? 0.9 : 0.5, nowMs);
  }

  #likeliest(nowMs: number, least: number): AnswerVerdict | undefined {
    const cues = cuesOf(this.heard, this.#model, this.#tunables, nowMs);
    const [best, likelihood] = likeliest(cues);
    if (likelihood < least) return undefined;
    const because = reasonsFor(best, cues);
    return {
      answeredBy: best,
      reason: because[0]?.code ?? 'likeliest',
      confidence: round(likelihood),
      atMs: nowMs,
      because,
    };
  }

  #say(answer: ClassifiedAnswer, reason: string, nowMs: number, confidence = 0.99): AnswerVerdict {
    const cues = cuesOf(this.heard, this.#model, this.#tunables, nowMs);
    return { answeredBy: answer, reason, confidence, atMs: nowMs, because: reasonsFor(answer, cues) };
  }
}

export function scoresOf(cues: readonly WeightedCue[]): Record<ClassifiedAnswer, number> {
  const scores = { ...PRIOR };
  for (const { adds } of cues) {
    for (const [answer, weight] of Object.entries(adds)) scores[answer as ClassifiedAnswer] += weight;
  }
  return scores;
}

function likeliest(cues: readonly WeightedCue[]): [ClassifiedAnswer, number] {
  const scores = scoresOf(cues);
  const best = HEARD.reduce((one, other) => (scores[other] > scores[one] ? other : one));
  const sum = HEARD.reduce((total, answer) => total + Math.exp(scores[answer] - scores[best]), 0);
  return [best, 1 / sum];
}

const says = (answeredBy: Answer, reason: string, confidence: number, atMs: number): AnswerVerdict => ({
  answeredBy,
  reason,
  confidence,
  atMs,
  because: [],
});

const isPerson = ({ answeredBy }: AnswerVerdict): boolean =>
  answeredBy === 'human' || answeredBy === 'receptionist';

const round = (likelihood: number): number => Math.min(0.99, Math.round(likelihood * 100) / 100);
