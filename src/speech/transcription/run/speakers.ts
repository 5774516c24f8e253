import { BUNDLED_BOUNDS } from '../../../media/engine/index.ts';
import type { SpeakerEmbedding } from '../contract.ts';

/** Agglomeration compares groups pairwise; more groups than this are first joined to the nearest. */
const MAX_PAIRWISE = 600;
/** A shorter piece does not begin a group, because its vector is unreliable. */
const LEAST_SECONDS = 0.8;
/** A voice with less speech than this is assigned to the nearest speaker. */
const LEAST_SPEAKER_SECONDS = 1.2;
/** Live calls share the thread, so the loop yields after this long. */
const BREATHE_MS = 8;

export interface SpeakerOptions {
  readonly speakers?: number | undefined;
}

type Voiced = SpeakerEmbedding & { readonly vector: Float32Array };

interface SpeakerCluster {
  readonly sum: Float32Array;
  weight: number;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

const similarity = (a: SpeakerCluster, b: SpeakerCluster): number =>
  dot(a.sum, b.sum) / (a.weight * b.weight);

function absorb(into: SpeakerCluster, other: SpeakerCluster): void {
  for (let at = 0; at < into.sum.length; at += 1)
    into.sum[at] = (into.sum[at] as number) + (other.sum[at] as number);
  into.weight += other.weight;
}

class EventLoopYield {
  #since = performance.now();

  async take(): Promise<void> {
    if (performance.now() - this.#since < BREATHE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}

function nearest(vector: Float32Array, groups: readonly SpeakerCluster[]): { at: number; cosine: number } {
  let best = { at: -1, cosine: -2 };
  groups.forEach(({ sum }, at) => {
    const cosine = dot(vector, sum) / (Math.sqrt(dot(sum, sum)) || 1);
    if (cosine > best.cosine) best = { at, cosine };
  });
  return best;
}

const clusterOf = ({ vector, alone }: Voiced): SpeakerCluster => ({
  sum: vector.map((x) => x * alone),
  weight: alone,
});

async function clusterVoices(
  voices: readonly Voiced[],
  { same, surelySame }: { readonly same: number; readonly surelySame: number },
  breath: EventLoopYield,
) {
  const groups: SpeakerCluster[] = [];
  for (const voice of voices) {
    const { at, cosine } = nearest(voice.vector, groups);
    const full = groups.length >= MAX_PAIRWISE;
    if (cosine >= (full ? same : surelySame)) absorb(groups[at] as SpeakerCluster, clusterOf(voice));
    else if (!full) groups.push(clusterOf(voice));
    await breath.take();
  }
  return groups;
}

async function agglomerate(
  groups: readonly SpeakerCluster[],
  { same, most }: { readonly same: number; readonly most: number | undefined },
  breath: EventLoopYield,
): Promise<SpeakerCluster[]> {
  const alike: Float32Array[] = [];
  for (const a of groups) {
    alike.push(Float32Array.from(groups, (b) => similarity(a, b)));
    await breath.take();
  }
  const open = new Set(groups.keys());
  for (;;) {
    let best = { a: -1, b: -1, value: most === undefined ? same : -2 };
    for (const a of open) {
      for (const b of open) {
        if (b >= a) break;
        const value = (alike[a] as Float32Array)[b] as number;
        if (value >= best.value) best = { a, b, value };
      }
    }
    if (best.a < 0 || open.size <= (most ?? 1)) return [...open].map((at) => groups[at] as SpeakerCluster);
    const [into, other] = [groups[best.b] as SpeakerCluster, groups[best.a] as SpeakerCluster];
    open.delete(best.a);
    absorb(into, other);
    for (const c of open) {
      const value = similarity(into, groups[c] as SpeakerCluster);
      (alike[best.b] as Float32Array)[c] = value;
      (alike[c] as Float32Array)[best.b] = value;
    }
    await breath.take();
  }
}

function substantial(groups: readonly SpeakerCluster[]): readonly SpeakerCluster[] {
  const frequent = groups.filter(({ weight }) => weight >= LEAST_SPEAKER_SECONDS);
  if (frequent.length > 0) return frequent;
  return [...groups].sort((a, b) => b.weight - a.weight).slice(0, 1);
}

const isVoiced = (voice: SpeakerEmbedding): voice is Voiced => voice.vector !== null;

async function speakersIn(
  voices: readonly SpeakerEmbedding[],
  most: number | undefined,
  breath: EventLoopYield,
): Promise<readonly SpeakerCluster[]> {
  const voiced = voices.filter(isVoiced);
  const long = voiced.filter(({ alone }) => alone >= LEAST_SECONDS);
  const members = long.length > 0 ? long : voiced;
  const narrow = members.filter((voice) => voice.narrow).length * 2 > members.length;
  const bounds = members[0]?.encoder?.bounds ?? BUNDLED_BOUNDS;
  const same = narrow ? bounds.sameNarrow : bounds.same;
  const beginnings =
    members.length > MAX_PAIRWISE
      ? await clusterVoices(members, { ...bounds, same }, breath)
      : members.map(clusterOf);
  const groups = await agglomerate(beginnings, { same, most }, breath);
  return most === undefined ? substantial(groups) : groups;
}

export async function speakersOf(
  voices: readonly SpeakerEmbedding[],
  { speakers: most }: SpeakerOptions = {},
): Promise<readonly number[]> {
  const breath = new EventLoopYield();
  const speakers = await speakersIn(voices, most, breath);
  const names = new Map<number, number>();
  let last = 0;
  return voices.map(({ vector }) => {
    // A piece without speech of its own is assigned to the previous speaker.
    const at = vector === null || speakers.length === 0 ? last : nearest(vector, speakers).at;
    last = at;
    if (!names.has(at)) names.set(at, names.size);
    return names.get(at) as number;
  });
}

export const countSpeakers = async (voices: readonly SpeakerEmbedding[]): Promise<number> =>
  (await speakersIn(voices, undefined, new EventLoopYield())).length;
