/**
 * A stamp records that a file was hashed, with its size and time. While both match, no start reads the bytes again,
 * so that a start with every file in place costs only a few stat calls.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { insideModel, modelFolder, servedFiles } from './layout.mjs';

const NAME = '.stamps.json';

export function readStamps(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, NAME), 'utf8'));
  } catch {
    return {}; // The stamp is absent or truncated, so the files are hashed again.
  }
}

export function writeStamps(folder, stamps) {
  const temporary = join(folder, `${NAME}.${process.pid}`);
  writeFileSync(temporary, `${JSON.stringify(stamps, null, 1)}\n`);
  renameSync(temporary, join(folder, NAME));
}

export function stampOf(path, sha256) {
  const { size, mtimeMs } = statSync(path);
  return { sha256, size, mtimeMs };
}

export function isFresh(folder, name, file, stamps) {
  const stamp = stamps[name];
  if (stamp?.sha256 !== file.sha256) return false;
  const stat = statSync(join(folder, name), { throwIfNoEntry: false });
  return stat !== undefined && stat.size === stamp.size && stat.mtimeMs === stamp.mtimeMs;
}

export function staleFiles(root, model, platform) {
  const folder = modelFolder(root, model, platform);
  const stamps = existsSync(folder) ? readStamps(folder) : {};
  return servedFiles(model, platform).filter(
    (file) => !isFresh(folder, insideModel(model, file), file, stamps),
  );
}

export function hashFile(path) {
  return new Promise((resolve, reject) => {
    const hash = createHash('sha256');
    createReadStream(path, { highWaterMark: 1 << 20 })
      .on('data', (chunk) => hash.update(chunk))
      .on('error', reject)
      .on('end', () => resolve(hash.digest('hex')));
  });
}
