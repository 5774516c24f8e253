import { AnswerClassifier } from './answer-classifier.ts';
import { AnswerFollower } from './answer-follower.ts';
import { awaitsMessageEnd } from './carrier-answer.ts';
import type { AnswerUpdate, AnswerVerdict, Evidence, MessageEnd } from './contract.ts';
import { MessageEndDetector } from './message-end-detector.ts';
import type { AnswerModel, HoldModel } from './phrases/index.ts';
import type { Tunables } from './tunables.ts';

export interface DetectionListener {
  verdict(verdict: AnswerVerdict): void;
  /** The listener is called once, and only in the mode that waits for the end of a message. */
  messageEnd(end: MessageEnd): void;
  update(update: AnswerUpdate): void;
}

/** The phrase models are trained once per process and shared by all calls. */
export interface Models {
  readonly answers: AnswerModel;
  readonly holds: HoldModel;
}

/** Evidence beyond this is weighed but not stored, because long calls repeat it. */
const MAX_EVIDENCE = 400;

type State =
  | { readonly kind: 'listening'; readonly judge: AnswerClassifier }
  | { readonly kind: 'message'; readonly watch: MessageEndDetector }
  | { readonly kind: 'following'; readonly follow: AnswerFollower }
  | { readonly kind: 'done' };

export class Detection {
  readonly evidence: Evidence[] = [];
  readonly #models: Models;
  readonly #tunables: Tunables;
  readonly #listener: DetectionListener;
  #state: State;
  #verdict: AnswerVerdict | undefined;

  constructor(models: Models, tunables: Tunables, listener: DetectionListener) {
    this.#models = models;
    this.#tunables = tunables;
    this.#listener = listener;
    this.#state = { kind: 'listening', judge: new AnswerClassifier(models.answers, tunables) };
  }

  get verdict(): AnswerVerdict | undefined {
    return this.#verdict;
  }
  get done(): boolean {
    return this.#state.kind === 'done';
  }

  take(evidence: Evidence): void {
    if (this.evidence.length < MAX_EVIDENCE) this.evidence.push(evidence);
    if (this.#state.kind === 'listening') this.#state.judge.take(evidence);
    else if (this.#state.kind === 'message') this.#state.watch.take(evidence);
    else if (this.#state.kind === 'following') this.#state.follow.take(evidence);
  }

  clock(nowMs: number): void {
    const state = this.#state;
    if (state.kind === 'listening') {
      const verdict = state.judge.at(nowMs);
      if (verdict) this.#decided(verdict, state.judge);
    } else if (state.kind === 'message') {
      const end = state.watch.at(nowMs);
      if (end) this.#ended(end);
    } else if (state.kind === 'following') {
      const update = state.follow.at(nowMs);
      if (update) this.#listener.update(update);
    }
  }

  end(nowMs: number): void {
    const state = this.#state;
    if (state.kind === 'listening') this.#decided(state.judge.end(nowMs), state.judge);
    if (this.#state.kind === 'message') this.#ended({ kind: 'other', atMs: nowMs });
    this.#state = { kind: 'done' };
  }

  #decided(verdict: AnswerVerdict, { heard }: AnswerClassifier): void {
    this.#verdict = verdict;
    const { answers, holds } = this.#models;
    if (awaitsMessageEnd(verdict.answeredBy, this.#tunables.mode)) {
      const spokenToMs = heard.speechSpans.at(-1)?.toMs ?? 0;
      const watch = new MessageEndDetector(verdict.atMs, heard.speaking, spokenToMs);
      // A ring before the speech sounds like a beep too, so only tones after the speech count.
      const beep = heard.tones.findLast(({ tone, fromMs }) => tone === 'beep' && fromMs >= spokenToMs - 100);
      if (beep && !heard.speaking && heard.speechSpans.length > 0)
        watch.take({ kind: 'tone', atMs: verdict.atMs, ...beep });
      this.#state = { kind: 'message', watch };
    } else if (this.#tunables.mode === 'follow') {
      this.#state = {
        kind: 'following',
        follow: new AnswerFollower(verdict, answers, holds, this.#tunables),
      };
    } else {
      this.#state = { kind: 'done' };
    }
    this.#listener.verdict(verdict);
  }

  #ended(end: MessageEnd): void {
    this.#state = { kind: 'done' };
    this.#listener.messageEnd(end);
  }
}
