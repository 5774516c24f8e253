import { AnswerClassifier } from './answer-classifier.ts';
import type { AnswerUpdate, AnswerVerdict, Evidence, FollowedAnswer } from './contract.ts';
import type { AnswerModel, HoldModel } from './phrases/index.ts';
import type { Tunables } from './tunables.ts';

const PEOPLE: readonly FollowedAnswer[] = ['human', 'receptionist'];
/** A machine talks on in short sentences, so a change to a person needs words that are typical of people. */
const SURE_OF_A_PERSON = 0.85;
const LEAST_HOLD_SCORE = 1.5;

export class AnswerFollower {
  readonly #answers: AnswerModel;
  readonly #holds: HoldModel;
  readonly #tunables: Tunables;
  #now: FollowedAnswer;
  #judge: AnswerClassifier;
  #followed: { reason: string; atMs: number; to: FollowedAnswer } | undefined;

  constructor(verdict: AnswerVerdict, answers: AnswerModel, holds: HoldModel, tunables: Tunables) {
    this.#answers = answers;
    this.#holds = holds;
    this.#tunables = tunables;
    this.#now = verdict.answeredBy;
    this.#judge = new AnswerClassifier(answers, tunables, verdict.atMs);
  }

  take(evidence: Evidence): void {
    this.#judge.take(evidence);
    if (evidence.kind === 'music') this.#music(evidence.playing, evidence.atMs);
    if (evidence.kind === 'words') this.#words(evidence.text, evidence.atMs);
  }

  at(nowMs: number): AnswerUpdate | undefined {
    const verdict = this.#judge.at(nowMs);
    if (verdict !== undefined) {
      this.#judge = new AnswerClassifier(this.#answers, this.#tunables, nowMs);
      if (this.#accepts(verdict))
        this.#followed ??= { to: verdict.answeredBy, reason: verdict.reason, atMs: nowMs };
    }
    const followed = this.#followed;
    this.#followed = undefined;
    if (followed === undefined || followed.to === this.#now) return undefined;
    const update = { from: this.#now, ...followed };
    this.#now = followed.to;
    return update;
  }

  /** The end of music does not end the hold; the words that follow show who is back. */
  #music(playing: boolean, atMs: number): void {
    if (playing) this.#followed = { to: 'hold', reason: 'hold_music', atMs };
  }

  #words(text: string, atMs: number): void {
    const { scores } = this.#holds.read(text);
    if (scores.hold >= LEAST_HOLD_SCORE && scores.hold > scores.other) {
      this.#followed = { to: 'hold', reason: 'asked_to_hold', atMs };
      this.#judge = new AnswerClassifier(this.#answers, this.#tunables, atMs);
    }
  }

  #accepts(verdict: AnswerVerdict): boolean {
    if (verdict.answeredBy === 'no_answer' || verdict.answeredBy === 'unknown') return false;
    if (!PEOPLE.includes(verdict.answeredBy)) return verdict.confidence >= SURE_OF_A_PERSON;
    if (PEOPLE.includes(this.#now)) return false;
    const people = verdict.because.some(({ code }) =>
      ['human_words', 'receptionist_words', 'asks_again'].includes(code),
    );
    return this.#now === 'hold' || (people && verdict.confidence >= SURE_OF_A_PERSON);
  }
}
