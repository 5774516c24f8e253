/** npm's archive is a gzipped tar file with a folder `package`; the same content gives the same bytes. */
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { tool } from './libraries.mjs';

const PLAIN = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=2026-01-01 00:00:00Z'];

export async function packTarball(tree, file, { level = 6 } = {}) {
  mkdirSync(dirname(file), { recursive: true });
  const arriving = `${file}.arriving`;
  const args = ['--format=ustar', ...PLAIN, `--use-compress-program=gzip -n -${level}`];
  await tool('tar', [...args, '-cf', arriving, '-C', tree, 'package']);
  renameSync(arriving, file);
  return file;
}

export const digestOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

export function integrityOf(path) {
  return new Promise((resolve, reject) => {
    const hash = createHash('sha512');
    createReadStream(path, { highWaterMark: 1 << 20 })
      .on('data', (chunk) => hash.update(chunk))
      .on('error', reject)
      .on('end', () => resolve(`sha512-${hash.digest('base64')}`));
  });
}
