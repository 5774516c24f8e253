import {
  advanceCapture,
  beginCapture,
  type CaptureKind,
  type CaptureRequest,
  type CaptureResult,
  type CaptureState,
  type CaptureStep,
  captureFailed,
  exampleAnswer,
} from '../../language/capture/index.ts';
import type { ExpectedAnswer, Interlude, InterludeInput, InterludeStep } from '../session/index.ts';

export interface CaptureOptions {
  readonly slot: string;
  readonly kind: CaptureKind;
  readonly hints: CaptureRequest['hints'];
  readonly label?: (language: CaptureRequest['hints']['language']) => string;
  readonly confirm?: CaptureRequest['confirm'];
  readonly prompt?: string;
  /** So many answers that are not understood end the capture, where the dialogue itself would go on. */
  readonly attempts?: number;
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
  readonly #informsModel: boolean;
  #state: CaptureState | null = null;
  #misses = 0;

  /** With `tells`, the model started the capture and continues with its result. */
  constructor(order: CaptureOptions, listener: CaptureListener, informsModel: boolean) {
    this.#order = order;
    this.#listener = listener;
    this.#informsModel = informsModel;
  }

  begin(): InterludeStep {
    const { kind, hints, label, confirm, prompt } = this.#order;
    const request = { kind, hints, ...(confirm === undefined ? {} : { confirm }) };
    const first = this.#follow(
      beginCapture({ ...request, ...(label === undefined ? {} : { label: label(hints.language) }) }),
    );
    return first.kind === 'ask' && prompt !== undefined ? { kind: 'ask', say: prompt } : first;
  }

  take(input: InterludeInput): InterludeStep {
    const before = this.#state;
    if (before === null) return { kind: 'done', message: null };
    const next = advanceCapture(
      before,
      input.kind === 'said' ? { kind: 'said', said: { text: input.text } } : input,
    );
    if (next.kind === 'ask' && isMiss(before, next.state)) this.#misses += 1;
    const { attempts = Number.POSITIVE_INFINITY } = this.#order;
    return this.#follow(next.kind === 'ask' && this.#misses >= attempts ? captureFailed(next.state) : next);
  }

  expected(): ExpectedAnswer | null {
    const before = this.#state === null ? null : exampleAnswer(this.#state);
    return before === null ? null : { before };
  }

  languageChanged(language: string): void {
    const hints = { ...this.#order.hints, language: language as CaptureRequest['hints']['language'] };
    this.#order = { ...this.#order, hints };
    if (this.#state === null) return;
    const { label } = this.#order;
    const named = label === undefined ? {} : { label: label(hints.language) };
    this.#state = { ...this.#state, request: { ...this.#state.request, hints, ...named } };
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
    notifyOfResult(this.#listener, this.#order, next.result);
    return { kind: 'done', message: this.#informsModel ? captureMessage(this.#order, next.result) : null };
  }
}

export function notifyOfResult(
  listener: CaptureListener,
  order: CaptureOptions,
  result: CaptureResult,
): void {
  if ('failed' in result) listener.failed(order, result.failed);
  else listener.captured(order, result);
}

/** The model gets the row's ID beside the value. */
export function captureMessage({ slot, kind }: CaptureOptions, result: CaptureResult): string {
  const { record, ...rest } = { record: undefined, ...result };
  const id = record?.id === undefined ? {} : { record_id: record.id };
  return `(capture) ${JSON.stringify({ slot, kind, ...rest, ...id })}`;
}

const isMiss = (before: CaptureState, after: CaptureState): boolean =>
  after.misses > before.misses || after.inputMode !== before.inputMode;
