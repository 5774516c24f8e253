import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';

const require = createRequire(import.meta.url);

// cmake-js owns this folder; node-gyp owns ./build and empties it when it pleases.
export const BUILD_FOLDER = 'build-native';

const FOLDERS = ['-d', 'native', '-O', BUILD_FOLDER, '--config', 'Release'];
// The C++ tests are built in the same folder, of the same objects; who only wants the engine does not wait for them.
const ENGINE = ['-T', 'engine'];

/** Describes the build of engine and tests, without building anything. */
export async function configureTests(root) {
  const cmakeJs = require.resolve('cmake-js/bin/cmake-js');
  dropMovedBuild(root);
  return await run(process.execPath, [cmakeJs, 'configure', ...FOLDERS, '--CDTRUNKLINE_TESTS=ON'], {
    cwd: root,
  });
}

// The program comes first: who finds the addon finds it too.
const PLACED = ['trunkline-phonemes', 'trunkline.node'];
// Only where the system has what it is made of: native/libraries.cmake.
const PLACED_WHERE_BUILT = ['trunkline-sip'];

/** Compiles native/ and puts the addon and its program into `out`, whole or not at all. */
export async function compile(root, out, log) {
  await checkTools();
  const cmakeJs = require.resolve('cmake-js/bin/cmake-js');
  const build = () =>
    run(process.execPath, [cmakeJs, 'build', ...FOLDERS, ...ENGINE, '-p', String(jobs())], {
      cwd: root,
      onLine: progress(log),
    });
  dropMovedBuild(root);
  // A folder that is configured is not asked again what the system has, unless it is told to.
  if (existsSync(cacheOf(root)))
    await run(process.execPath, [cmakeJs, 'configure', ...FOLDERS], { cwd: root });
  let result = await build();
  if (result.code !== 0 && existsSync(cacheOf(root))) {
    // A folder left by a killed build, another compiler or another checkout: begin again once.
    rmSync(join(root, BUILD_FOLDER), { recursive: true, force: true });
    result = await build();
  }
  if (result.code !== 0) {
    throw new Failure(`the native build failed:\n\n${tail(result.stdout + result.stderr, 30)}`);
  }
  for (const name of PLACED_WHERE_BUILT) {
    const built = join(root, BUILD_FOLDER, 'Release', name);
    if (existsSync(built)) place(built, out, name);
    else rmSync(join(out, name), { force: true });
  }
  for (const name of PLACED) place(join(root, BUILD_FOLDER, 'Release', name), out, name);
  const missing = missingLibraries(readFileSync(cacheOf(root), 'utf8'));
  if (missing.length > 0) {
    const without = missing.map(({ name, lacks }) => `${name} (${lacks})`).join(' and ');
    const packages = missing.map(({ package: name }) => name).join(' ');
    log(`native: built without ${without}: apt-get install -y ${packages}, then run this again`);
  }
}

const cacheOf = (root) => join(root, BUILD_FOLDER, 'CMakeCache.txt');

/** These libraries of the system are used where they are installed: native/libraries.cmake. */
const LIBRARIES = [
  { name: 'Opus', key: 'OPUS', package: 'libopus-dev', lacks: 'sound is G.711 at 8 kHz' },
  { name: 'SRTP', key: 'SRTP', package: 'libsrtp2-dev', lacks: 'sound over SIP is not enciphered' },
];

/** Those that the build has not found, by its cache. */
export const missingLibraries = (cache) =>
  LIBRARIES.filter(({ key }) =>
    new RegExp(`^TRUNKLINE_${key}_(INCLUDE|LIBRARY):.*NOTFOUND$`, 'm').test(cache),
  );

/** A checkout that was copied or moved: its build folder would go on building the sources of the old place. */
export function dropMovedBuild(root) {
  const cache = cacheOf(root);
  if (!existsSync(cache)) return;
  const source = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(readFileSync(cache, 'utf8'))?.[1];
  const own = realpathSync(join(root, 'native'));
  if (source !== undefined && existsSync(source) && realpathSync(source) === own) return;
  rmSync(join(root, BUILD_FOLDER), { recursive: true, force: true });
}

function place(from, out, name) {
  mkdirSync(out, { recursive: true });
  const temporary = join(out, `${name}.${process.pid}`);
  copyFileSync(from, temporary);
  renameSync(temporary, join(out, name)); // a process that runs keeps the file it has mapped
}

const jobs = () => Number(process.env.TRUNKLINE_BUILD_JOBS) || availableParallelism();

/** "[12/80] …" of ninja, "[ 15%] …" of make: one line a tenth. */
function progress(log) {
  let reported = 0;
  return (line) => {
    const step = /^\[\s*(?:(\d+)\/(\d+)|(\d+)%)\]/.exec(line);
    if (!step) return;
    const share = step[3] ? Number(step[3]) / 100 : Number(step[1]) / Number(step[2]);
    if (share < reported + 0.1) return;
    reported = share;
    log(`native: ${Math.round(share * 100)} %`);
  };
}

async function checkTools() {
  const missing = [];
  const works = async (command) => !(await run(command, ['--version'])).missing;
  if (!(await works('cmake'))) missing.push('cmake');
  if (!(await works(process.env.CXX?.split(' ')[0] || 'c++'))) missing.push('g++');
  if (!(await works('ninja')) && !(await works('make'))) missing.push('make');
  if (missing.length === 0) return;
  throw new Failure(
    `the native build needs ${missing.join(', ')}`,
    `apt-get install -y ${missing.join(' ')}`,
  );
}
