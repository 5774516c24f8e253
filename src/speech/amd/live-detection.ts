import type { Admission, Principal } from '../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../foundation/access/index.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { Log } from '../../foundation/platform/log.ts';
import {
  type AmdEvent,
  type AmdLaneOptions,
  amdLane,
  type CarrierResult,
  type Lane,
  type LaneQueue,
  laneTenantOf,
  type PushResult,
  type StatusName,
} from '../../media/engine/index.ts';
import type { AnswerUpdate, AnswerVerdict, Evidence, MessageEnd } from './contract.ts';
import { Detection, type Models } from './detection.ts';
import { type Fingerprint, fingerprintSimilarity, SAME_GREETING } from './fingerprint-match.ts';
import type { DetectionRecords } from './records.ts';
import type { Tunables } from './tunables.ts';

export interface LiveDetectionDeps {
  readonly lanes: Pick<LaneQueue, 'open'>;
  readonly models: Models;
  readonly calls: DetectionRecords;
  readonly log: Log;
}

export interface LiveDetectionOrder {
  readonly principal: Principal;
  readonly tunables: Tunables;
  readonly codec: AmdLaneOptions['codec'];
  readonly language?: string | undefined;
  readonly called: string | null;
  /** The customer's own id of the called person. Erasure of that person covers this call. */
  readonly externalId: string | null;
  readonly streamSid: string | null;
  readonly callSid: string | null;
  readonly partOf: string | null;
  /** The admission is null for a part of an admitted call, which is free. */
  readonly admission: Admission | null;
  readonly webhookUrl: string | null;
  /** The audio arrives faster than real time, so the detection waits for transcripts. */
  readonly wait?: boolean | undefined;
}

export interface LiveDetectionListener {
  verdict(verdict: AnswerVerdict, transcript: string | null): void;
  messageEnd(end: MessageEnd): void;
  update(update: AnswerUpdate): void;
  over(status: StatusName): void;
}

export class LiveDetection {
  readonly id = newId('amd');
  readonly #deps: LiveDetectionDeps;
  readonly #call: LiveDetectionOrder;
  readonly #listener: LiveDetectionListener;
  readonly #detection: Detection;
  #lane: Lane<AmdEvent> | null = null;
  #heardMs = 0;
  #messageEnd: MessageEnd | null = null;
  readonly #updates: AnswerUpdate[] = [];
  #fingerprint: Fingerprint | null = null;
  #written: Promise<void> = Promise.resolve();
  #over = false;

  private constructor(deps: LiveDetectionDeps, call: LiveDetectionOrder, listener: LiveDetectionListener) {
    this.#deps = deps;
    this.#call = call;
    this.#listener = listener;
    this.#detection = new Detection(deps.models, call.tunables, {
      verdict: (verdict) => this.#decided(verdict),
      messageEnd: (end) => {
        this.#messageEnd = end;
        listener.messageEnd(end);
      },
      update: (update) => {
        this.#updates.push(update);
        listener.update(update);
      },
    });
  }

  /** Rejects with ApiError `capacity` where no lane becomes free. */
  static async begin(
    deps: LiveDetectionDeps,
    call: LiveDetectionOrder,
    listener: LiveDetectionListener,
  ): Promise<LiveDetection> {
    const detection = new LiveDetection(deps, call, listener);
    const { codec, language, principal, wait = false } = call;
    detection.#lane = await deps.lanes.open(
      amdLane,
      { codec, wait, language },
      { event: (event) => detection.#heard(event), closed: (status) => detection.#finish(status) },
      laneTenantOf(principal),
    );
    return detection;
  }

  push = (bytes: Uint8Array): PushResult => this.#lane?.push(bytes) ?? 'closed';
  pushCarrierJson = (message: Uint8Array): CarrierResult => this.#lane?.pushCarrierJson(message) ?? 'closed';

  hangUp(): void {
    this.#lane?.close();
  }

  stop(): void {
    this.#finish('ok');
  }

  /** Ends without a record or a charge, because the caller left before a lane was free. */
  abandon(): void {
    this.#over = true;
    this.#lane?.drop();
    void this.#call.admission?.release();
  }

  #heard(event: AmdEvent): void {
    if (this.#over) return;
    this.#heardMs = event.atMs;
    if (event.kind === 'fingerprint') {
      void this.#compare(event.words);
    } else if (event.kind === 'clock') {
      this.#detection.clock(event.atMs);
      if (this.#detection.done) this.#finish('ok');
    } else if (event.kind === 'words') {
      const { tookMs: _, ...words } = event;
      this.#detection.take(words);
    } else {
      this.#detection.take(event);
    }
  }

  async #compare(words: Fingerprint): Promise<void> {
    this.#fingerprint = words;
    const { called, principal } = this.#call;
    if (called === null) return;
    try {
      const earlier = await this.#deps.calls.greetings(tenantScopeOf(principal), called);
      const [likest] = earlier
        .map(({ id, fingerprint }) => ({
          call: id,
          likeness: fingerprintSimilarity(words, fingerprint) ?? 0,
        }))
        .sort((one, other) => other.likeness - one.likeness);
      if (likest === undefined || likest.likeness < SAME_GREETING || this.#over) return;
      this.#detection.take({ kind: 'repeat', atMs: this.#heardMs, ...likest });
    } catch (error) {
      this.#deps.log.warn(
        { err: error, call: this.id },
        'known greetings could not be read; the verdict is made without them',
      );
    }
  }

  #decided(verdict: AnswerVerdict): void {
    const transcript = textOf(this.#detection.evidence);
    this.#listener.verdict(verdict, transcript);
    const { log, calls } = this.#deps;
    const { admission, ...call } = this.#call;
    this.#written = calls
      .decided({
        ...call,
        hold: admission?.reservationId ?? null,
        bundled: admission === null,
        id: this.id,
        verdict,
        evidence: [...this.#detection.evidence],
        transcript,
        heardMs: this.#heardMs,
      })
      .catch((err: unknown) =>
        log.error({ err, call: this.id }, 'the AMD verdict of a call could not be stored'),
      );
    admission?.settling(this.#written);
  }

  #finish(status: StatusName): void {
    if (this.#over) return;
    this.#detection.end(this.#heardMs);
    this.#over = true;
    this.#lane?.drop();
    const { evidence } = this.#detection;
    const { principal, webhookUrl } = this.#call;
    const rest = {
      messageEnd: this.#messageEnd,
      updates: this.#updates,
      evidence,
      transcript: textOf(evidence),
      fingerprint: this.#fingerprint,
      heardMs: this.#heardMs,
    };
    this.#written
      .then(() => this.#deps.calls.ended(tenantScopeOf(principal), this.id, rest, webhookUrl))
      .catch((err: unknown) =>
        this.#deps.log.error({ err, call: this.id }, 'the end of an AMD call could not be stored'),
      );
    void this.#call.admission?.release();
    this.#listener.over(status);
  }
}

function textOf(evidence: readonly Evidence[]): string | null {
  const texts = new Map<number, string>();
  for (const one of evidence) if (one.kind === 'words') texts.set(one.stretch, one.text);
  const text = [...texts.values()].join(' ').trim();
  return text === '' ? null : text;
}
