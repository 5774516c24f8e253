import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../project-root.ts';

export interface ModelFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** The file is for this platform only, such as `linux-x64`; the default is all. */
  readonly platform?: string;
  readonly intermediate?: boolean;
  readonly executable?: boolean;
  readonly recipe?: string;
}

export interface Model {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly work: string;
  readonly purpose: string;
  readonly licence: string;
  readonly origin: string;
  readonly languages: readonly string[];
  /** It counts input or output samples per second; null where the model has no audio. */
  readonly rate: number | null;
  readonly surfaces: readonly string[];
  /** Set-up fetches `default` models; `optional` ones need a request. */
  readonly fetch: 'default' | 'optional';
  readonly files: readonly ModelFile[];
}

const MANIFEST = join(PROJECT_ROOT, 'models/manifest.json');

export function readManifest(location: string | URL = MANIFEST): readonly Model[] {
  const manifest = JSON.parse(readFileSync(location, 'utf8')) as { models: readonly Model[] };
  return manifest.models;
}

export const servedFiles = (model: Model, platform: string): readonly ModelFile[] =>
  model.files.filter((file) => !file.intermediate && (file.platform ?? platform) === platform);

/** Names the folder of one version of a model; scripts/models/layout.mjs computes the same. */
export function modelDigest(model: Model, platform: string): string {
  const lines = servedFiles(model, platform).map((file) => `${file.path} ${file.sha256}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex').slice(0, 12);
}
