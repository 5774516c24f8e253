import type { Voice } from '../contract.ts';

/** Cosines of the embedding: the same speaker is at about 0.7 and above, another at about 0.3. */
const SAME = 0.5;
const SURELY_SAME = 0.75;
/** Clusters are compared pairwise: more beginnings than this are first joined to the nearest. */
const MAX_PAIRWISE = 400;
/** A voice heard for less than this is taken for the nearest one. */
const LEAST_SECONDS = 2;

interface Cluster {
  /** Sum of the members' vectors: its direction is the cluster's. */
  readonly sum: Float32Array;
  seconds: number;
  members: number[];
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

const cosine = (a: Cluster, b: Cluster): number =>
  dot(a.sum, b.sum) / (Math.sqrt(dot(a.sum, a.sum) * dot(b.sum, b.sum)) || 1);

function absorb(into: Cluster, other: Cluster): void {
  for (let at = 0; at < into.sum.length; at += 1)
    into.sum[at] = (into.sum[at] as number) + (other.sum[at] as number);
  into.seconds += other.seconds;
  into.members.push(...other.members);
}

function nearest(to: Cluster, among: readonly Cluster[]): { cluster: Cluster; cosine: number } | null {
  let best: { cluster: Cluster; cosine: number } | null = null;
  for (const cluster of among) {
    if (cluster === to) continue;
    const value = cosine(to, cluster);
    if (!best || value > best.cosine) best = { cluster, cosine: value };
  }
  return best;
}

/** One pass in the order of time: what surely is the same voice as a cluster joins it. */
function gather(voices: readonly Voice[]): Cluster[] {
  const clusters: Cluster[] = [];
  voices.forEach(({ start, end, vector }, index) => {
    const alone: Cluster = { sum: Float32Array.from(vector), seconds: end - start, members: [index] };
    const found = nearest(alone, clusters);
    const near = found && found.cosine >= (clusters.length >= MAX_PAIRWISE ? SAME : SURELY_SAME);
    if (found && near) absorb(found.cluster, alone);
    else clusters.push(alone);
  });
  return clusters;
}

/** Joins the two nearest clusters as long as they can be one voice. */
function agglomerate(clusters: Cluster[]): void {
  for (;;) {
    let best: { a: Cluster; b: Cluster; cosine: number } | null = null;
    for (let i = 0; i < clusters.length; i += 1) {
      for (let j = i + 1; j < clusters.length; j += 1) {
        const [a, b] = [clusters[i] as Cluster, clusters[j] as Cluster];
        const value = cosine(a, b);
        if (!best || value > best.cosine) best = { a, b, cosine: value };
      }
    }
    if (!best || best.cosine < SAME) return;
    absorb(best.a, best.b);
    clusters.splice(clusters.indexOf(best.b), 1);
  }
}

function joinSlight(clusters: Cluster[]): void {
  for (const slight of [...clusters].sort((a, b) => a.seconds - b.seconds)) {
    if (clusters.length === 1 || slight.seconds >= LEAST_SECONDS) return;
    const found = nearest(slight, clusters);
    if (!found) return;
    absorb(found.cluster, slight);
    clusters.splice(clusters.indexOf(slight), 1);
  }
}

/** Which speaker each voice is: numbers from 0, in the order in which they are first heard. */
export function speakersOf(voices: readonly Voice[]): readonly number[] {
  const clusters = gather(voices);
  agglomerate(clusters);
  joinSlight(clusters);
  const labels = new Array<number>(voices.length).fill(-1);
  clusters.forEach((cluster, at) => {
    for (const member of cluster.members) labels[member] = at;
  });
  const names = new Map<number, number>();
  return labels.map((label) => {
    if (!names.has(label)) names.set(label, names.size);
    return names.get(label) as number;
  });
}
