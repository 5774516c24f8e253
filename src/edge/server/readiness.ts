import type { Clock } from '../../foundation/platform/clock.ts';
import type { Part, Surface } from './surface.ts';

export interface Readiness {
  readonly ready: boolean;
  readonly parts: readonly Part[];
}

export type PartSource = () => readonly Part[] | Promise<readonly Part[]>;

const SLOW_MS = 2_000;

/** Queries every source. A source that throws or times out is reported as a part that is not ready. */
export async function readiness(sources: ReadonlyMap<string, PartSource>): Promise<Readiness> {
  const asked = await Promise.all([...sources].map(([name, source]) => ask(name, source)));
  const parts = asked.flat();
  return { ready: parts.every((part) => part.ready || !part.required), parts };
}

async function ask(name: string, source: PartSource): Promise<readonly Part[]> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${SLOW_MS} ms`)), SLOW_MS);
    });
    return await Promise.race([source(), late]);
  } catch (error) {
    return [{ name, ready: false, required: true, detail: (error as Error).message }];
  } finally {
    clearTimeout(timer);
  }
}

export function partSources(
  surfaces: readonly Surface[],
  others: ReadonlyMap<string, PartSource>,
): Map<string, PartSource> {
  const sources = new Map(others);
  for (const surface of surfaces) if (surface.parts) sources.set(surface.name, surface.parts);
  return sources;
}

/** Limits how often an expensive source is queried; callers in between get its last answer. */
export function notOftenerThan(clock: Clock, everyMs: number, source: PartSource): PartSource {
  let asked: { readonly at: number; readonly parts: Promise<readonly Part[]> } | null = null;
  return () => {
    const now = clock.monotonic();
    if (asked === null || now - asked.at >= everyMs) {
      asked = { at: now, parts: Promise.resolve(source()) };
    }
    return asked.parts;
  };
}
