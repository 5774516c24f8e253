import {
  advanceCapture,
  beginCapture,
  type CaptureKind,
  type CaptureRequest,
  type CaptureResult,
  type CaptureState,
  type CaptureStep,
  exampleAnswer,
} from '../../language/capture/index.ts';
import type { Interlude, InterludeInput, InterludeStep } from '../session/index.ts';

export interface CaptureOptions {
  readonly slot: string;
  readonly kind: CaptureKind;
  readonly hints: CaptureRequest['hints'];
  readonly label?: string;
  readonly confirm?: CaptureRequest['confirm'];
  readonly prompt?: string;
}

export type CapturedValue = Extract<CaptureResult, { value: string }>;
export type CaptureFailure = 'not_understood' | 'no_answer' | 'dropped';

export interface CaptureListener {
  captured(order: CaptureOptions, result: CapturedValue): void;
  failed(order: CaptureOptions, reason: CaptureFailure): void;
}

/** The engine asks, recognizes, reads back and corrects; the model gets only the value. */
export class CaptureInterlude implements Interlude {
  #order: CaptureOptions;
  readonly #listener: CaptureListener;
  readonly #tells: boolean;
  #state: CaptureState | null = null;

  /** With `tells`, the model started the capture and continues with its result. */
  constructor(order: CaptureOptions, listener: CaptureListener, tells: boolean) {
    this.#order = order;
    this.#listener = listener;
    this.#tells = tells;
  }

  begin(): InterludeStep {
    const { kind, hints, label, confirm, prompt } = this.#order;
    const request = { kind, hints, ...(confirm === undefined ? {} : { confirm }) };
    const first = this.#follow(beginCapture({ ...request, ...(label === undefined ? {} : { label }) }));
    return first.kind === 'ask' && prompt !== undefined ? { kind: 'ask', say: prompt } : first;
  }

  take(input: InterludeInput): InterludeStep {
    const before = this.#state;
    if (before === null) return { kind: 'done', message: null };
    if (input.kind === 'said')
      return this.#follow(advanceCapture(before, { kind: 'said', said: { text: input.text } }));
    return this.#follow(advanceCapture(before, input));
  }

  expected(): string | null {
    return this.#state === null ? null : exampleAnswer(this.#state);
  }

  languageChanged(language: string): void {
    const hints = { ...this.#order.hints, language: language as CaptureRequest['hints']['language'] };
    this.#order = { ...this.#order, hints };
    if (this.#state !== null) this.#state = { ...this.#state, request: { ...this.#state.request, hints } };
  }

  dropped(): void {
    if (this.#state === null) return;
    this.#state = null;
    this.#listener.failed(this.#order, 'dropped');
  }

  #follow(next: CaptureStep): InterludeStep {
    if (next.kind === 'ask') {
      this.#state = next.state;
      return next;
    }
    this.#state = null;
    const { slot, kind } = this.#order;
    const { result } = next;
    if ('failed' in result) this.#listener.failed(this.#order, result.failed);
    else this.#listener.captured(this.#order, result);
    return {
      kind: 'done',
      message: this.#tells ? `(capture) ${JSON.stringify({ slot, kind, ...result })}` : null,
    };
  }
}
