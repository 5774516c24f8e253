import { createHash } from 'node:crypto';
import {
  createReadStream,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tool } from './libraries.mjs';

const PLAIN = ['--sort=name', '--numeric-owner', '--mtime=2026-01-01 00:00:00Z'];
const TYPE = 'application/vnd.oci.image';
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
export const imageArchitecture = (arch = process.arch) => ARCHITECTURES[arch];

export class ImageLayout {
  constructor(folder) {
    this.folder = folder;
    this.layers = [];
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
    writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  }

  async addLayer(tree, { user, owned = [], level = 6, comment }) {
    const plain = join(this.folder, 'layer.tar');
    const own = owned.map((name) => `./${name}`);
    const rest = own.map((name) => `--exclude=${name}`);
    await tool('tar', [
      '--format=gnu',
      ...PLAIN,
      '--owner=0',
      '--group=0',
      ...rest,
      '-cf',
      plain,
      '-C',
      tree,
      '.',
    ]);
    if (own.length > 0)
      await tool('tar', [
        '--format=gnu',
        ...PLAIN,
        `--owner=${user}`,
        `--group=${user}`,
        '-rf',
        plain,
        '-C',
        tree,
        ...own,
      ]);
    const diff = await digestOfFile(plain);
    const bytes = statSync(plain).size;
    await tool('gzip', ['-n', `-${level}`, '-f', plain]);
    const blob = await this.#keepFile(`${plain}.gz`);
    this.layers.push({
      diff,
      comment,
      bytes,
      descriptor: { mediaType: `${TYPE}.layer.v1.tar+gzip`, ...blob },
    });
  }

  /** `name` is what container engines call the image after they load the archive: trunkline:1.2.3. */
  finish({ config, created, name, annotations }) {
    const platform = { architecture: imageArchitecture(), os: 'linux' };
    const image = {
      created,
      ...platform,
      config,
      rootfs: { type: 'layers', diff_ids: this.layers.map(({ diff }) => diff) },
      history: this.layers.map(({ comment }) => ({ created, created_by: comment })),
    };
    const manifest = {
      schemaVersion: 2,
      mediaType: `${TYPE}.manifest.v1+json`,
      config: { mediaType: `${TYPE}.config.v1+json`, ...this.#keep(image) },
      layers: this.layers.map(({ descriptor }) => descriptor),
      annotations,
    };
    const stored = this.#keep(manifest);
    const index = {
      schemaVersion: 2,
      mediaType: `${TYPE}.index.v1+json`,
      manifests: [
        {
          mediaType: manifest.mediaType,
          ...stored,
          platform,
          annotations: { 'org.opencontainers.image.ref.name': name },
        },
      ],
    };
    writeFileSync(join(this.folder, 'index.json'), JSON.stringify(index));
    return stored.digest;
  }

  get uncompressedBytes() {
    return this.layers.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #keep(document) {
    const path = join(this.folder, 'arriving');
    writeFileSync(path, JSON.stringify(document));
    const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
    const size = statSync(path).size;
    renameSync(path, join(this.folder, 'blobs/sha256', digest));
    return { digest: `sha256:${digest}`, size };
  }

  async #keepFile(path) {
    const digest = await digestOfFile(path);
    const size = statSync(path).size;
    renameSync(path, join(this.folder, 'blobs/sha256', digest.slice('sha256:'.length)));
    return { digest, size };
  }
}

async function digestOfFile(path) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}

export async function archiveLayout(folder, file) {
  await tool('tar', [
    '--format=ustar',
    ...PLAIN,
    '--owner=0',
    '--group=0',
    '-cf',
    `${file}.arriving`,
    '-C',
    folder,
    '.',
  ]);
  renameSync(`${file}.arriving`, file);
}
