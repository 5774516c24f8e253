import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../project-root.ts';

export interface ModelFile {
  /** MODEL-ID/…: the name by which the engine asks for the file. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Only on this platform, as `linux-x64`; absent: on all. */
  readonly platform?: string;
  /** Food of a recipe; it does not stay in the cache. */
  readonly intermediate?: boolean;
  readonly executable?: boolean;
  readonly recipe?: string;
}

export interface Model {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** The kind of work, such as recognition, speech or voice activity. */
  readonly work: string;
  readonly purpose: string;
  readonly licence: string;
  readonly origin: string;
  readonly languages: readonly string[];
  /** Samples a second that go in or come out; null where there is no audio. */
  readonly rate: number | null;
  /** The surfaces that cannot work without it. */
  readonly surfaces: readonly string[];
  /** Whether set-up fetches it, or only a person who asks for it. */
  readonly fetch: 'default' | 'optional';
  readonly files: readonly ModelFile[];
}

const MANIFEST = join(PROJECT_ROOT, 'models/manifest.json');

export function readManifest(location: string | URL = MANIFEST): readonly Model[] {
  const manifest = JSON.parse(readFileSync(location, 'utf8')) as { models: readonly Model[] };
  return manifest.models;
}

/** The files that serve on a platform. */
export const servedFiles = (model: Model, platform: string): readonly ModelFile[] =>
  model.files.filter((file) => !file.intermediate && (file.platform ?? platform) === platform);

/** Names the folder of one version of a model; scripts/models/layout.mjs computes the same. */
export function modelDigest(model: Model, platform: string): string {
  const lines = servedFiles(model, platform).map((file) => `${file.path} ${file.sha256}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex').slice(0, 12);
}
