import type { SpeakerEmbedding } from '../contract.ts';

/** Two groups of windows are one voice when their windows are this much alike on average: cosines of windows of one
 * speaker are about 0.7, of two speakers on one line 0.3 to 0.5. (The cosine of the groups' own directions says less:
 * what windows have at random cancels out in a sum, and two speakers grow alike.) */
const SAME = 0.55;
const SURELY_SAME = 0.75;
/** Groups are compared pairwise: more beginnings than this are first joined to the nearest. */
const MAX_PAIRWISE = 600;
/** A voice heard in fewer windows than this, one every 0.8 s, is taken for the nearest one. */
const LEAST_WINDOWS = 3;
/** Live calls share the thread: it is let go after this long. */
const BREATHE_MS = 8;

interface SpeakerCluster {
  /** Sum of the members' vectors, each of unit length. */
  readonly sum: Float32Array;
  readonly members: number[];
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** The mean of the cosines between the windows of one and those of the other. */
const similarity = (a: SpeakerCluster, b: SpeakerCluster): number =>
  dot(a.sum, b.sum) / (a.members.length * b.members.length);

function absorb(into: SpeakerCluster, other: SpeakerCluster): void {
  for (let at = 0; at < into.sum.length; at += 1)
    into.sum[at] = (into.sum[at] as number) + (other.sum[at] as number);
  into.members.push(...other.members);
}

class EventLoopYield {
  #since = performance.now();

  async take(): Promise<void> {
    if (performance.now() - this.#since < BREATHE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}

/** The group whose direction is nearest to a window's. */
function nearest(vector: Float32Array, groups: readonly SpeakerCluster[]): { at: number; cosine: number } {
  let best = { at: -1, cosine: -2 };
  groups.forEach(({ sum }, at) => {
    const cosine = dot(vector, sum) / (Math.sqrt(dot(sum, sum)) || 1);
    if (cosine > best.cosine) best = { at, cosine };
  });
  return best;
}

/** One pass in the order of time: what surely is the same voice as a group joins it. */
async function clusterVoices(
  voices: readonly SpeakerEmbedding[],
  breath: EventLoopYield,
): Promise<SpeakerCluster[]> {
  const groups: SpeakerCluster[] = [];
  for (const [index, { vector }] of voices.entries()) {
    const alone: SpeakerCluster = { sum: Float32Array.from(vector), members: [index] };
    const { at, cosine } = nearest(vector, groups);
    const full = groups.length >= MAX_PAIRWISE;
    if (cosine >= (full ? SAME : SURELY_SAME)) absorb(groups[at] as SpeakerCluster, alone);
    else if (!full) groups.push(alone);
    await breath.take();
  }
  return groups;
}

const aloneEach = (voices: readonly SpeakerEmbedding[]): SpeakerCluster[] =>
  voices.map(({ vector }, index) => ({ sum: Float32Array.from(vector), members: [index] }));

/** Joins the two groups that are most alike as long as they can be one voice. */
async function agglomerate(
  groups: readonly SpeakerCluster[],
  breath: EventLoopYield,
): Promise<SpeakerCluster[]> {
  const alike: Float32Array[] = [];
  for (const a of groups) {
    alike.push(Float32Array.from(groups, (b) => similarity(a, b)));
    await breath.take();
  }
  const open = new Set(groups.keys());
  for (;;) {
    let best = { a: -1, b: -1, value: SAME };
    for (const a of open) {
      for (const b of open) {
        if (b >= a) break;
        const value = (alike[a] as Float32Array)[b] as number;
        if (value >= best.value) best = { a, b, value };
      }
    }
    if (best.a < 0) return [...open].map((at) => groups[at] as SpeakerCluster);
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

/** Those that were heard long enough to be told from a cough; at least the longest. */
function substantial(groups: readonly SpeakerCluster[]): readonly SpeakerCluster[] {
  const frequent = groups.filter(({ members }) => members.length >= LEAST_WINDOWS);
  if (frequent.length > 0) return frequent;
  return [...groups].sort((a, b) => b.members.length - a.members.length).slice(0, 1);
}

/** Which speaker each voice is: numbers from 0, in the order in which they are first heard. */
export async function speakersOf(voices: readonly SpeakerEmbedding[]): Promise<readonly number[]> {
  const breath = new EventLoopYield();
  const beginnings = voices.length > MAX_PAIRWISE ? await clusterVoices(voices, breath) : aloneEach(voices);
  const speakers = substantial(await agglomerate(beginnings, breath));
  const names = new Map<number, number>();
  return voices.map(({ vector }) => {
    const { at } = nearest(vector, speakers);
    if (!names.has(at)) names.set(at, names.size);
    return names.get(at) as number;
  });
}
