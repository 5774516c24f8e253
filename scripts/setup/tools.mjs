import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { run } from './run.mjs';

/**
 * The compiler and the bundler need at least these versions. An unlisted major version is too old, or newer than all.
 */
const OLDEST_NODE = { 20: 19, 22: 12 };

const answers = async (command, ...args) => (await run(command, args)).code === 0;

const TOOLS = {
  python3: {
    package: 'python3',
    there: () => answers('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'),
  },
  pip: { package: 'python3-pip', there: () => answers('python3', '-m', 'pip', '--version') },
  cmake: { package: 'cmake', there: () => answers('cmake', '--version') },
  'a C++ compiler': {
    package: 'g++',
    there: async () => (await answers('c++', '--version')) || (await answers('g++', '--version')),
  },
  make: { package: 'make', there: async () => await answers('make', '--version') },
  'an arm64 compiler': {
    package: 'g++-aarch64-linux-gnu',
    there: () => answers('aarch64-linux-gnu-g++', '--version'),
  },
  'qemu for arm64': { package: 'qemu-user', there: () => answers('qemu-aarch64', '--version') },
  GoogleTest: { package: 'libgtest-dev', there: async () => hasGoogleTest() },
};

function hasGoogleTest() {
  const places = [
    '/usr/src/googletest/CMakeLists.txt',
    '/usr/include/gtest/gtest.h',
    '/usr/local/include/gtest/gtest.h',
  ];
  return places.some((path) => existsSync(path));
}

export function checkNode() {
  if (nodeServes(process.versions.node)) return;
  throw new Failure(
    `Node 20.19, 22.12 or newer is required; this is ${process.versions.node}`,
    'install Node 20 or 22 anew: https://nodejs.org/en/download',
  );
}

export function nodeServes(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || minor >= (OLDEST_NODE[major] ?? Number.POSITIVE_INFINITY);
}

export async function requireTools(names) {
  const found = await Promise.all(names.map((name) => TOOLS[name].there()));
  const missing = names.filter((_, index) => !found[index]);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((name) => TOOLS[name].package))];
  throw new Failure(
    `missing on this machine: ${missing.join(', ')}`,
    `${sudo()}apt-get update && ${sudo()}apt-get install -y ${packages.join(' ')}`,
  );
}

const sudo = () => (process.getuid?.() === 0 ? '' : 'sudo ');

export function nodeHeaders() {
  const prefix = join(process.execPath, '../..');
  return existsSync(join(prefix, 'include/node/node_version.h')) ? prefix : undefined;
}
