import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

export interface ImageConfig {
  readonly Env: string[];
  readonly Entrypoint: string[];
  readonly Cmd: string[];
  readonly Healthcheck: { readonly Test: string[] };
}

/** Unpacks an OCI archive in the folder: its layout, and the root file system of its layers. */
export function unpackedImage(file: string, folder: string) {
  const [layout, root] = [join(folder, 'layout'), join(folder, 'root')];
  for (const path of [layout, root]) mkdirSync(path);
  const unpack = (archive: string, into: string) =>
    expect(spawnSync('tar', ['-xf', archive, '-C', into]).status).toBe(0);
  const blob = (digest: string) => join(layout, 'blobs/sha256', digest.slice('sha256:'.length));
  const document = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
  unpack(file, layout);
  const { manifests } = document(join(layout, 'index.json'));
  const manifest = document(blob(manifests[0].digest));
  for (const { digest } of manifest.layers) unpack(blob(digest), root);
  const { config, architecture } = document(blob(manifest.config.digest));
  return { root, config: config as ImageConfig, architecture: architecture as string };
}
