/** What has to be on the machine before anything else; looked for only when a step is about to need it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { run } from './run.mjs';

const OLDEST_NODE = [20, 9];

const answers = async (command, ...args) => (await run(command, args)).code === 0;

/** name → the Debian package that brings it, and how to see that it is there. */
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
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new Failure(
    `Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}`,
    'install Node 20 or newer: https://nodejs.org/en/download',
  );
}

/** Names everything that is missing at once, with the one command that installs it. */
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

/** Where Node's own headers are, so that compiling a package downloads none. */
export function nodeHeaders() {
  const prefix = join(process.execPath, '../..');
  return existsSync(join(prefix, 'include/node/node_version.h')) ? prefix : undefined;
}
