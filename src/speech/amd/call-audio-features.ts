import type { Evidence, Tone } from './contract.ts';

/** A shorter pause is part of one speaker's rhythm. */
const BREATH_MS = 250;
const RING_MS = 4500;
/** ITU-T E.180. */
const RING_HERTZ = [390, 490] as const;

interface SpeechTimes {
  readonly fromMs: number;
  toMs: number;
}

export class CallAudioFeatures {
  readonly speechSpans: SpeechTimes[] = [];
  readonly tones: { tone: Tone; fromMs: number; toMs: number; hertz: number }[] = [];
  #speaking = false;
  #texts = new Map<number, { text: string; toMs: number }>();
  #floorDbfs: number | undefined;
  #repeat: { likeness: number; call: string } | undefined;
  #music: { playing: boolean; sinceMs: number } = { playing: false, sinceMs: 0 };

  take(evidence: Evidence): void {
    switch (evidence.kind) {
      case 'speech':
        this.#begin(evidence.fromMs);
        break;
      case 'quiet':
        this.#end(evidence.fromMs, evidence.floorDbfs);
        break;
      case 'tone':
        this.#tone(evidence);
        break;
      case 'music':
        this.#music = { playing: evidence.playing, sinceMs: evidence.fromMs };
        break;
      case 'words':
        this.#texts.set(evidence.stretch, { text: evidence.text, toMs: evidence.toMs });
        break;
      case 'repeat':
        this.#repeat = { likeness: evidence.likeness, call: evidence.call };
    }
  }

  get speaking(): boolean {
    return this.#speaking;
  }
  get text(): string {
    return [...this.#texts.values()].map(({ text }) => text).join(' ');
  }
  get lastText(): string {
    return [...this.#texts.values()].at(-1)?.text ?? '';
  }
  get floorDbfs(): number | undefined {
    return this.#floorDbfs;
  }
  get repeat(): { likeness: number; call: string } | undefined {
    return this.#repeat;
  }
  /** Music while the line rings is a ringback tone. */
  get music(): { playing: boolean; sinceMs: number } {
    const { playing, sinceMs } = this.#music;
    const ring = this.tones.some(
      ({ tone, fromMs, toMs }) =>
        tone === 'ringback' && fromMs <= sinceMs + RING_MS && toMs >= sinceMs - RING_MS,
    );
    return { playing: playing && !ring, sinceMs };
  }
  get rang(): boolean {
    const first = this.speechSpans[0]?.fromMs ?? Number.POSITIVE_INFINITY;
    return this.tones.some(
      ({ tone, fromMs, hertz }) =>
        tone === 'ringback' ||
        (tone === 'beep' && fromMs < first && hertz >= RING_HERTZ[0] && hertz <= RING_HERTZ[1]),
    );
  }

  get worded(): boolean {
    const last = this.speechSpans.at(-1);
    const read = [...this.#texts.values()].at(-1);
    return last !== undefined && read !== undefined && !this.#speaking && read.toMs >= last.toMs - 200;
  }

  /** Returns whether speech surrounds the tone without a pause, so that the tone is the voice's own pitch. */
  inVoice(fromMs: number, toMs: number): boolean {
    return this.speechSpans.some(
      (span, at) => span.fromMs < fromMs - BREATH_MS / 2 && this.#endOf(at, toMs + 1000) > toMs + BREATH_MS,
    );
  }

  spokenMs(nowMs: number): number {
    return this.speechSpans.reduce((sum, { fromMs }, at) => sum + this.#endOf(at, nowMs) - fromMs, 0);
  }
  quietMs(nowMs: number): number {
    const last = this.speechSpans.at(-1);
    return this.#speaking || last === undefined ? 0 : nowMs - last.toMs;
  }

  #endOf(at: number, nowMs: number): number {
    return this.#speaking && at === this.speechSpans.length - 1 ? nowMs : this.speechSpans[at]!.toMs;
  }
  #begin(fromMs: number): void {
    this.#speaking = true;
    const last = this.speechSpans.at(-1);
    if (last !== undefined && fromMs - last.toMs < BREATH_MS) return;
    this.speechSpans.push({ fromMs, toMs: fromMs });
  }
  #end(toMs: number, floorDbfs: number): void {
    const last = this.speechSpans.at(-1);
    if (last === undefined) return;
    this.#speaking = false;
    last.toMs = Math.max(last.toMs, toMs);
    this.#floorDbfs = Math.min(this.#floorDbfs ?? 0, floorDbfs);
  }
  /** The engine repeats a tone while it lasts. Voice activity inside the tone is not speech. */
  #tone({ tone, fromMs, toMs, hertz }: CallAudioFeatures['tones'][number]): void {
    const same = this.tones.find((other) => other.tone === tone && other.fromMs === fromMs);
    if (same) same.toMs = toMs;
    else this.tones.push({ tone, fromMs, toMs, hertz });
    for (let at = this.speechSpans.length - 1; at >= 0; --at) {
      const span = this.speechSpans[at]!;
      const end = this.#endOf(at, toMs);
      const covered = Math.min(end, toMs) - Math.max(span.fromMs, fromMs);
      if (covered < 0.7 * (end - span.fromMs) || covered <= 0) continue;
      if (at === this.speechSpans.length - 1) this.#speaking = false;
      this.speechSpans.splice(at, 1);
    }
  }
}
