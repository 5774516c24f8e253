import {
  advanceRecordCapture,
  beginRecordCapture,
  type CaptureInput,
  type CaptureRecord,
  needsLookup,
  type RecordKind,
  type RecordState,
  type RecordStep,
  RecordTable,
  recordCaptureFailed,
} from '../../language/capture/index.ts';
import type { ExpectedAnswer, Interlude, InterludeInput, InterludeStep } from '../session/index.ts';
import {
  type CaptureListener,
  type CaptureOptions,
  captureMessage,
  notifyOfResult,
} from './capture-interlude.ts';
import type { RecordSource } from './record-source.ts';

export interface RecordOptions extends CaptureOptions {
  readonly kind: RecordKind;
  readonly records: RecordSource;
}

const MOST_TERMS = 200;

/** Builds the table of one lookup once for all calls that hold its rows. */
const tables = new WeakMap<readonly CaptureRecord[], Map<string, RecordTable>>();

function tableOf(
  rows: readonly CaptureRecord[],
  kind: RecordKind,
  language: RecordTable['language'],
): RecordTable {
  const built = tables.get(rows) ?? new Map<string, RecordTable>();
  tables.set(rows, built);
  const key = `${kind} ${language}`;
  const table = built.get(key) ?? new RecordTable(rows, kind, language);
  built.set(key, table);
  return table;
}

/** Captures a value that is one of the customer's records: near misses are offered, and keys decide in the end. */
export class RecordInterlude implements Interlude {
  #order: RecordOptions;
  readonly #listener: CaptureListener;
  readonly #informsModel: boolean;
  #state: RecordState | null = null;
  #isDropped = false;
  #rows: readonly CaptureRecord[];
  #misses = 0;

  constructor(order: RecordOptions, listener: CaptureListener, informsModel: boolean) {
    this.#order = order;
    this.#listener = listener;
    this.#informsModel = informsModel;
    this.#rows = order.records.kind === 'rows' ? order.records.rows : [];
  }

  begin(): InterludeStep {
    const { kind, hints, label, confirm, prompt } = this.#order;
    const first = this.#follow(
      beginRecordCapture({
        kind,
        hints,
        ...(confirm === undefined ? {} : { confirm }),
        ...(label === undefined ? {} : { label: label(hints.language) }),
      }),
    );
    return first.kind === 'ask' && prompt !== undefined ? { kind: 'ask', say: prompt } : first;
  }

  take(input: InterludeInput): InterludeStep {
    const before = this.#state;
    if (before === null) return { kind: 'done', message: null };
    const heard: CaptureInput = input.kind === 'said' ? { kind: 'said', said: { text: input.text } } : input;
    const { records } = this.#order;
    if (records.kind === 'rows' || !needsLookup(before, heard)) return this.#advance(heard);
    const question = {
      heard: input.kind === 'said' ? input.text : '',
      keys: input.kind === 'keys' ? input.keys.replace(/#$/, '') : '',
      slot: this.#order.slot,
      language: this.#order.hints.language,
    };
    const done = records.find(question).then(
      (rows) => this.#looked(rows, heard),
      () => this.#looked([], heard),
    );
    return { kind: 'work', say: records.filler, done };
  }

  expected(): ExpectedAnswer | null {
    if (this.#state === null) return null;
    const vocabulary = this.#table.vocabulary(MOST_TERMS, this.#state.likeliest);
    return vocabulary.length === 0 ? null : { vocabulary };
  }

  languageChanged(language: string): void {
    const hints = { ...this.#order.hints, language: language as RecordOptions['hints']['language'] };
    this.#order = { ...this.#order, hints };
    if (this.#state === null) return;
    const { label } = this.#order;
    const named = label === undefined ? {} : { label: label(hints.language) };
    this.#state = { ...this.#state, request: { ...this.#state.request, hints, ...named } };
  }

  dropped(): void {
    this.#isDropped = true;
    if (this.#state === null) return;
    this.#state = null;
    this.#listener.failed(this.#order, 'dropped');
  }

  get #table(): RecordTable {
    const { kind, hints } = this.#order;
    return tableOf(this.#rows, kind, hints.language);
  }

  #looked(rows: readonly CaptureRecord[], heard: CaptureInput): InterludeStep {
    if (this.#isDropped) return { kind: 'listen' };
    this.#rows = withKnown(rows, this.#state);
    return this.#advance(heard);
  }

  #advance(heard: CaptureInput): InterludeStep {
    const before = this.#state;
    if (before === null) return { kind: 'done', message: null };
    const next = advanceRecordCapture(before, heard, this.#table);
    if (next.kind === 'ask' && isMiss(before, next.state)) this.#misses += 1;
    const { attempts = Number.POSITIVE_INFINITY } = this.#order;
    return this.#follow(
      next.kind === 'ask' && this.#misses >= attempts ? recordCaptureFailed(next.state) : next,
    );
  }

  #follow(next: RecordStep): InterludeStep {
    if (next.kind === 'ask') {
      this.#state = next.state;
      return { kind: 'ask', say: next.say };
    }
    this.#state = null;
    notifyOfResult(this.#listener, this.#order, next.result);
    return { kind: 'done', message: this.#informsModel ? captureMessage(this.#order, next.result) : null };
  }
}

const isMiss = (before: RecordState, after: RecordState): boolean =>
  after.misses > before.misses || after.inputMode !== before.inputMode;

/** A tool returns new objects for the same rows; those that were refused or offered are recognized again. */
function withKnown(rows: readonly CaptureRecord[], state: RecordState | null): CaptureRecord[] {
  if (state === null) return [...rows];
  const { phase, refused, likeliest } = state;
  const offered =
    phase.at === 'confirming' ? [phase.record] : phase.at === 'choosing' ? [...phase.between] : [];
  const known = new Map([...likeliest, ...refused, ...offered].map((row) => [keyOf(row), row]));
  return rows.map((row) => known.get(keyOf(row)) ?? row);
}

const keyOf = ({ value, id, label }: CaptureRecord): string => JSON.stringify([value, id, label]);
