/** Mixes and masters clips into the whole file and a stem for each speaker. */

import type { Blobs } from '../../../foundation/storage/index.ts';
import type { CastRenderRow } from '../../../foundation/storage/tables/cast.ts';
import {
  capacityShareOf,
  type Engine,
  type Mastered,
  masterJob,
  packTimeline,
  readMastered,
} from '../../../media/engine/index.ts';
import { audioKey } from '../blobs.ts';
import { CONTENT_TYPES, encoded } from './output.ts';
import type { RenderRequest } from './request.ts';
import type { RenderResult } from './result.ts';
import { RATE } from './take.ts';
import { speakersOf, type Timeline } from './timeline.ts';

export const CEILING_DBTP = -1;
/**
 * An edit may change the loudness by this many LU before the gain is measured again; below it other lines keep their
 * samples.
 */
const TOLERANCE = 0.2;

interface MasteringDeps {
  readonly engine: Engine;
  readonly blobs: Blobs;
  readonly ffmpeg: string | null;
}

export class Mastering {
  readonly #deps: MasteringDeps;
  readonly #row: CastRenderRow;
  readonly #request: RenderRequest;
  readonly #file: string;
  readonly #signal: AbortSignal;

  constructor(deps: MasteringDeps, row: CastRenderRow, file: string, signal: AbortSignal) {
    this.#deps = deps;
    this.#row = row;
    this.#request = JSON.parse(row.request) as RenderRequest;
    this.#file = file;
    this.#signal = signal;
  }

  async run(timeline: Timeline, gain: number | undefined): Promise<RenderResult['loudness']> {
    const { room_tone_dbfs: tone } = this.#request;
    const roomTone = tone === null ? {} : { roomTone: tone };
    const whole = await this.#make(timeline, null, { ...roomTone, ...(gain === undefined ? {} : { gain }) });
    if (this.#request.stems) {
      for (const [at, speaker] of speakersOf(timeline).entries()) {
        const placed = timeline.placed.filter(({ line }) => line.speaker === speaker);
        await this.#make({ ...timeline, placed }, at, { gain: whole.gainDb, fixed: true });
      }
    }
    const two = (value: number) => Math.round(value * 100) / 100;
    return {
      integrated_lufs: two(whole.loudness),
      true_peak_dbtp: two(whole.truePeak),
      range_lu: two(whole.range),
      largest_short_term_lufs: two(whole.shortTerm),
      gain_db: whole.gainDb,
    };
  }

  async #make(
    { placed, samples }: Timeline,
    stem: number | null,
    how: { gain?: number; fixed?: boolean; roomTone?: number },
  ): Promise<Mastered> {
    const { engine, blobs, ffmpeg } = this.#deps;
    const { format, loudness_lufs: target } = this.#request;
    const options = {
      file: this.#file,
      rate: RATE,
      target,
      ceiling: CEILING_DBTP,
      tolerance: TOLERANCE,
      ...how,
    };
    const plan = packTimeline(
      placed.map(({ clip }) => clip),
      samples,
    );
    const signal = this.#signal;
    const chunks = engine
      .submit(masterJob, options, plan, signal, capacityShareOf(this.#row.environment))
      .chunks();
    const first = await chunks.next();
    if (first.done === true) throw new Error('the engine returned no report');
    const payer = { orgId: this.#row.org_id, environment: this.#row.environment };
    await blobs.put(audioKey(this.#row.id, stem), encoded(chunks, { format, samples, ffmpeg, signal }), {
      payer,
      signal,
      contentType: CONTENT_TYPES[format],
    });
    return readMastered(first.value);
  }
}
