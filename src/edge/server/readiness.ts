import type { Clock } from '../../foundation/platform/clock.ts';
import type { ComponentHealth, Surface } from './surface.ts';

export interface Readiness {
  readonly ready: boolean;
  readonly parts: readonly ComponentHealth[];
}

export type HealthSource = () => readonly ComponentHealth[] | Promise<readonly ComponentHealth[]>;

const SOURCE_TIMEOUT_MS = 2_000;

export async function checkReadiness(sources: ReadonlyMap<string, HealthSource>): Promise<Readiness> {
  const answers = await Promise.all([...sources].map(([name, source]) => queryHealthSource(name, source)));
  const parts = answers.flat();
  return { ready: parts.every((part) => part.ready || !part.required), parts };
}

async function queryHealthSource(name: string, source: HealthSource): Promise<readonly ComponentHealth[]> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${SOURCE_TIMEOUT_MS} ms`)), SOURCE_TIMEOUT_MS);
    });
    return await Promise.race([source(), late]);
  } catch (error) {
    return [{ name, ready: false, required: true, detail: (error as Error).message }];
  } finally {
    clearTimeout(timer);
  }
}

export function collectHealthSources(
  surfaces: readonly Surface[],
  others: ReadonlyMap<string, HealthSource>,
): Map<string, HealthSource> {
  const sources = new Map(others);
  for (const surface of surfaces) if (surface.parts) sources.set(surface.name, surface.parts);
  return sources;
}

export function throttleHealthSource(clock: Clock, everyMs: number, source: HealthSource): HealthSource {
  let last: { readonly at: number; readonly parts: Promise<readonly ComponentHealth[]> } | null = null;
  return () => {
    const now = clock.monotonic();
    if (last === null || now - last.at >= everyMs) {
      last = { at: now, parts: Promise.resolve(source()) };
    }
    return last.parts;
  };
}
