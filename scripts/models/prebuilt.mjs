/**
 * Models are also npm packages of finished files (scripts/release/model-packages.mjs): models/prebuilt.json lists
 * them in a release and is absent in a checkout. An interrupted download resumes where it ended.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';
import { modelDigest, projectRoot } from './layout.mjs';

const MB = 1024 * 1024;
const PROGRESS_MS = 1000;
const ATTEMPTS = 5;
const RETRY_MS = 500;
const STALL_MS = 30_000;
const TABLE = join(projectRoot, 'models/prebuilt.json');

export function prebuiltOf(models, table = TABLE) {
  if (!existsSync(table)) return [];
  const entries = JSON.parse(readFileSync(table, 'utf8'));
  return models.flatMap((model) => {
    const entry = entries.find(({ id, digest }) => id === model.id && digest === modelDigest(model));
    return entry ? [{ model, ...entry }] : [];
  });
}

/** The files of a package that npm installed beside the program; nothing where another version is installed, or none. */
export function installedFiles({ name, version }) {
  const { resolve } = createRequire(join(projectRoot, 'package.json'));
  try {
    const path = resolve(`${name}/package.json`);
    if (JSON.parse(readFileSync(path, 'utf8')).version === version) return join(dirname(path), 'files');
  } catch (error) {
    // A package whose description cannot be read is as good as none.
    if (error.code !== 'MODULE_NOT_FOUND' && !(error instanceof SyntaxError)) throw error;
  }
}

export const archiveName = ({ name, version }) => `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;

export class Progress {
  constructor({ whole, here, log, now = () => performance.now() }) {
    Object.assign(this, { whole, here, log, now });
    this.began = now();
    this.atStart = here;
    this.reportedAt = this.began; // The rate of a first chunk is meaningless.
  }

  add(bytes) {
    this.here += bytes;
    if (this.now() - this.reportedAt >= PROGRESS_MS) this.report();
  }

  report() {
    this.reportedAt = this.now();
    const rate = (this.here - this.atStart) / Math.max(1, this.reportedAt - this.began);
    const left = rate > 0 ? `, ${Math.ceil((this.whole - this.here) / rate / 1000)} s left` : '';
    this.log(`models: ${inMb(this.here)} of ${inMb(this.whole)} MB${left}`);
  }
}

const inMb = (bytes) => Math.round(bytes / MB);

export class PrebuiltStore {
  constructor({ root, from, log }) {
    this.folder = join(root, '.packages');
    this.from = from;
    this.log = log;
  }

  async obtainAll(entries, take) {
    mkdirSync(this.folder, { recursive: true });
    const whole = entries.reduce((sum, { bytes }) => sum + bytes, 0);
    const here = entries.reduce((sum, entry) => sum + sizeOf(this.#part(entry)), 0);
    this.progress = new Progress({ whole, here, log: this.log });
    let taken = Promise.resolve();
    for (const entry of entries) {
      const archive = await this.#obtain(entry);
      const before = taken;
      taken = before.then(() => take(entry, archive));
      taken.catch(() => {}); // The next `await` of it reports the error.
    }
    await taken;
    this.progress.report();
  }

  discard(entry) {
    rmSync(this.#part(entry), { force: true });
  }

  #part(entry) {
    return join(this.folder, archiveName(entry));
  }

  async #obtain(entry) {
    const local = this.from && join(this.from, archiveName(entry));
    if (local && existsSync(local)) return await this.#checked(entry, local);
    if (this.from)
      throw new Failure(`${archiveName(entry)} is not in ${this.from}`, `npm pack ${specOf(entry)}`);
    const part = this.#part(entry);
    this.registry ??= await registryOf();
    let url;
    for (let attempt = 1; ; attempt++) {
      try {
        url ??= await tarballUrl(this.registry, entry);
        await this.#download(entry, url, part);
        return await this.#checked(entry, part);
      } catch (error) {
        if (error instanceof NeedsNpm && (await this.#packedByNpm(entry)))
          return await this.#checked(entry, part);
        if (attempt === ATTEMPTS || error instanceof Failure) throw error;
        this.log(`models: ${entry.name}: ${error.message}; going on at ${inMb(sizeOf(part))} MB`);
        await sleep(RETRY_MS * attempt);
      }
    }
  }

  /** npm has the credentials, the proxy and the certificates that its owner has set up. */
  async #packedByNpm(entry) {
    this.#forget(entry);
    const args = ['pack', specOf(entry), '--silent', '--pack-destination', this.folder];
    const { code } = await run('npm', args, { cwd: this.folder });
    if (code === 0) this.progress.add(sizeOf(this.#part(entry)));
    return code === 0;
  }

  #forget(entry) {
    this.progress.add(-sizeOf(this.#part(entry)));
    this.discard(entry);
  }

  async #download(entry, url, part) {
    if (sizeOf(part) > entry.bytes) this.#forget(entry);
    const here = sizeOf(part);
    if (here === entry.bytes) return;
    const stalled = new AbortController();
    const watch = setTimeout(() => stalled.abort(), STALL_MS);
    try {
      const headers = here > 0 ? { range: `bytes=${here}-` } : {};
      const response = await fetch(url, { headers, signal: stalled.signal });
      if (response.status === 416) {
        this.#forget(entry);
        throw new Error('the registry has no bytes behind those that arrived');
      }
      if (response.status !== 200 && response.status !== 206) throw refused(entry, response.status);
      const goesOn = response.status === 206;
      if (!goesOn) this.progress.add(-here);
      let size = goesOn ? here : 0;
      const file = await open(part, goesOn ? 'a' : 'w');
      try {
        for await (const chunk of response.body) {
          watch.refresh();
          size += chunk.length;
          if (size > entry.bytes) {
            this.#forget(entry);
            throw new Failure(
              `${specOf(entry)}: the registry sent more than the ${entry.bytes} bytes of the archive`,
            );
          }
          await file.writeFile(chunk);
          this.progress.add(chunk.length);
        }
      } finally {
        await file.close();
      }
    } catch (error) {
      if (stalled.signal.aborted) throw new Error(`nothing arrived for ${STALL_MS / 1000} s`);
      throw error;
    } finally {
      clearTimeout(watch);
    }
    if (sizeOf(part) < entry.bytes) throw new Error('the connection ended early');
  }

  async #checked(entry, path) {
    const integrity = await digest(path);
    if (integrity === entry.integrity) return path;
    this.#forget(entry);
    throw new Failure(
      `${specOf(entry)} is not the archive that was published: expected ${entry.integrity}, received ${integrity}`,
    );
  }
}

class NeedsNpm extends Failure {}

/** A registry or a proxy answers so where credentials are missing or wrong. */
const asksForCredentials = (status) => [401, 403, 407].includes(status);

const refused = (entry, status) => {
  const text = `${specOf(entry)}: the registry answered ${status}`;
  return asksForCredentials(status) ? new NeedsNpm(text) : new Failure(text);
};

const specOf = ({ name, version }) => `${name}@${version}`;
const sizeOf = (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

async function digest(path) {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return `sha512-${hash.digest('base64')}`;
}

async function registryOf() {
  const asked = await run('npm', ['config', 'get', '@trunkline:registry', 'registry']);
  if (asked.missing) throw new Failure('npm is missing; it comes with Node', 'apt-get install -y npm');
  const said = Object.fromEntries(
    asked.stdout.split('\n').flatMap((line) => (line.includes('=') ? [line.split(/=(.*)/, 2)] : [])),
  );
  const scoped = said['@trunkline:registry'];
  const url = scoped && scoped !== 'undefined' ? scoped : said.registry;
  if (!/^https?:/.test(url ?? '')) throw new Failure(`npm knows no registry: ${tail(asked.stderr, 2)}`);
  return url.endsWith('/') ? url : `${url}/`;
}

async function tarballUrl(registry, entry) {
  const signal = AbortSignal.timeout(STALL_MS);
  const response = await fetch(registry + entry.name.replace('/', '%2f'), { signal });
  if (response.status >= 500) throw new Error(`the registry answered ${response.status}`);
  if (asksForCredentials(response.status)) throw refused(entry, response.status);
  const found = response.ok ? (await response.json()).versions?.[entry.version]?.dist?.tarball : undefined;
  if (found) return found;
  throw new Failure(`${specOf(entry)} is not in the registry that npm uses (${response.status})`);
}

export async function unpack(archive, folder) {
  rmSync(folder, { recursive: true, force: true });
  const arriving = `${folder}.arriving`;
  rmSync(arriving, { recursive: true, force: true });
  mkdirSync(arriving, { recursive: true });
  const args = ['-xzf', archive, '-C', arriving, '--strip-components=2', '-o', 'package/files'];
  const { code, missing, stderr } = await run('tar', args);
  if (missing) throw new Failure('tar is missing', 'apt-get install -y tar');
  if (code !== 0) throw new Failure(`${archive} cannot be unpacked: ${tail(stderr, 3)}`);
  renameSync(arriving, folder);
}
