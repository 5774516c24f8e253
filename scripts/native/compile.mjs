import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';
import { ARM64_FOLDER, configureArm64 } from './arm64.mjs';

const require = createRequire(import.meta.url);

// cmake-js owns this folder; node-gyp owns ./build and empties it at any time.
export const BUILD_FOLDER = 'build-native';

const FOLDERS = ['-d', 'native', '-O', BUILD_FOLDER, '--config', 'Release'];
// The C++ tests share the folder and its objects; a build of the engine alone does not wait for them.
const ENGINE = ['-T', 'engine'];

export async function configureTests(root) {
  const cmakeJs = require.resolve('cmake-js/bin/cmake-js');
  dropMovedBuild(root);
  return await run(process.execPath, [cmakeJs, 'configure', ...FOLDERS, '--CDTRUNKLINE_TESTS=ON'], {
    cwd: root,
  });
}

// The program is placed first, so that the addon never exists without it.
const PLACED = ['trunkline-phonemes', 'trunkline.node'];
// The build produces it only when the system has its libraries: native/libraries.cmake.
const PLACED_WHERE_BUILT = ['trunkline-sip'];

/** The engine for another processor than this one, which only arm64 is built as. */
export async function compileArm64(root, out, log) {
  const steps = [
    () => configureArm64(root, log),
    () =>
      run('cmake', ['--build', ARM64_FOLDER, '--target', 'engine', '-j', String(jobs())], {
        cwd: root,
        onLine: progress(log),
      }),
  ];
  for (const step of steps) {
    const { code, stdout, stderr } = await step();
    if (code !== 0) throw new Failure(`the build for arm64 failed:\n\n${tail(stdout + stderr, 30)}`);
  }
  placeBuilt(join(root, ARM64_FOLDER, 'Release'), out);
}

export async function compile(root, out, log) {
  await checkTools();
  const cmakeJs = require.resolve('cmake-js/bin/cmake-js');
  const build = () =>
    run(process.execPath, [cmakeJs, 'build', ...FOLDERS, ...ENGINE, '-p', String(jobs())], {
      cwd: root,
      onLine: progress(log),
    });
  dropMovedBuild(root);
  // A configured folder does not detect the system's libraries again unless it is configured explicitly.
  if (existsSync(cacheOf(root)))
    await run(process.execPath, [cmakeJs, 'configure', ...FOLDERS], { cwd: root });
  let result = await build();
  if (result.code !== 0 && existsSync(cacheOf(root))) {
    // The folder may stem from a killed build, another compiler or another checkout, so one retry starts from an
    // empty one.
    rmSync(join(root, BUILD_FOLDER), { recursive: true, force: true });
    result = await build();
  }
  if (result.code !== 0) {
    throw new Failure(`the native build failed:\n\n${tail(result.stdout + result.stderr, 30)}`);
  }
  placeBuilt(join(root, BUILD_FOLDER, 'Release'), out);
  const missing = missingLibraries(readFileSync(cacheOf(root), 'utf8'));
  if (missing.length > 0) {
    const without = missing.map(({ name, lacks }) => `${name} (${lacks})`).join(' and ');
    const packages = missing.map(({ package: name }) => name).join(' ');
    log(`native: built without ${without}: apt-get install -y ${packages}, then run this again`);
  }
}

const cacheOf = (root) => join(root, BUILD_FOLDER, 'CMakeCache.txt');

const LIBRARIES = [
  { name: 'Opus', key: 'OPUS', package: 'libopus-dev', lacks: 'sound is G.711 at 8 kHz' },
  { name: 'SRTP', key: 'SRTP', package: 'libsrtp2-dev', lacks: 'sound over SIP is not enciphered' },
];

export const missingLibraries = (cache) =>
  LIBRARIES.filter(({ key }) =>
    new RegExp(`^TRUNKLINE_${key}_(INCLUDE|LIBRARY):.*NOTFOUND$`, 'm').test(cache),
  );

export function dropMovedBuild(root) {
  const cache = cacheOf(root);
  if (!existsSync(cache)) return;
  const source = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(readFileSync(cache, 'utf8'))?.[1];
  const own = realpathSync(join(root, 'native'));
  if (source !== undefined && existsSync(source) && realpathSync(source) === own) return;
  rmSync(join(root, BUILD_FOLDER), { recursive: true, force: true });
}

function placeBuilt(from, out) {
  for (const name of PLACED_WHERE_BUILT) {
    if (existsSync(join(from, name))) place(join(from, name), out, name);
    else rmSync(join(out, name), { force: true });
  }
  for (const name of PLACED) place(join(from, name), out, name);
}

function place(from, out, name) {
  mkdirSync(out, { recursive: true });
  const temporary = join(out, `${name}.${process.pid}`);
  copyFileSync(from, temporary);
  renameSync(temporary, join(out, name)); // The rename leaves a running process its mapped file.
}

export const jobs = () => Number(process.env.TRUNKLINE_BUILD_JOBS) || availableParallelism();

/** Reports one line per tenth from ninja's "[12/80] …" or make's "[ 15%] …". */
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
