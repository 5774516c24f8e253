import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_ALONE, runtimePackages } from '../debian/packages.mjs';
import { copy, copyProduct, copyTree, put } from './product.mjs';

const FILES = fileURLToPath(new URL('files', import.meta.url));
/** The engine's package contains the compiled part of these; their JavaScript is in dist/node_modules. */
export const IN_ENGINE = ['better-sqlite3', 'onnxruntime-node', 'uWebSockets.js'];
const PAPERS = ['README.md', 'CHANGELOG.md', 'SECURITY.md'];

export function layOutMain(into, { root, version, engines, prebuilt }) {
  copyProduct(root, into, { without: ['lib/binding'] });
  for (const name of PAPERS) copy(join(root, name), join(into, name));
  copy(join(FILES, 'trunkline.mjs'), join(into, 'bin/trunkline.mjs'));
  put(join(into, 'models/prebuilt.json'), `${JSON.stringify(prebuilt, null, 2)}\n`);
  layOutLoaders(root, join(into, 'dist/node_modules'));
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { name, description, license, type, main } = own;
  const inside = (all) =>
    Object.fromEntries(
      Object.entries(all).filter(([key]) => !BUILD_ALONE.has(key) && !IN_ENGINE.includes(key)),
    );
  const described = {
    name,
    version,
    description,
    license,
    type,
    main,
    bin: { trunkline: 'bin/trunkline.mjs' },
    engines: { node: '^20.19.0 || ^22.12.0 || ^24.0.0' },
    os: ['linux'],
    dependencies: inside(own.dependencies),
    optionalDependencies: {
      ...inside(own.optionalDependencies),
      ...Object.fromEntries(Object.keys(engines).map((engine) => [engine, version])),
    },
  };
  put(join(into, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
  put(
    join(into, 'npm-shrinkwrap.json'),
    `${JSON.stringify(shrinkwrap(root, described, engines), null, 2)}\n`,
  );
}

/** Pins every runtime package to the tested version, so that npm installs no other. */
function shrinkwrap(root, described, engines) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const wanted = new Set(runtimePackages(root, { without: IN_ENGINE }));
  const { name, version } = described;
  const { description: _, main: __, type: ___, ...own } = described;
  const rest = Object.entries(lock.packages)
    .filter(([path, entry]) => path !== '' && (wanted.has(path) || isOtherPlatform(root, path, entry)))
    .map(([path, { dev: ____, devOptional: _____, ...entry }]) => [path, entry]);
  const compiled = Object.entries(engines).map(([engine, entry]) => [`node_modules/${engine}`, entry]);
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': own, ...Object.fromEntries([...compiled, ...rest]) },
  };
}

const isOtherPlatform = (root, path, entry) =>
  entry.optional === true &&
  entry.dev !== true &&
  (entry.os ?? entry.cpu) !== undefined &&
  !existsSync(join(root, path));

/**
 * Node searches dist/node_modules first: these packages contain the original's JavaScript and load the compiled file
 * of the engine's package.
 */
function layOutLoaders(root, into) {
  const of = (name, file) => readFileSync(join(root, 'node_modules', name, file), 'utf8');
  const described = (name, more) => {
    const { version, license } = JSON.parse(of(name, 'package.json'));
    put(
      join(into, name, 'package.json'),
      `${JSON.stringify({ name, version, license, ...more }, null, 2)}\n`,
    );
  };
  copyTree(join(root, 'node_modules/better-sqlite3/lib'), join(into, 'better-sqlite3/lib'), () => true);
  copy(join(root, 'node_modules/better-sqlite3/LICENSE'), join(into, 'better-sqlite3/LICENSE'));
  described('better-sqlite3', { main: 'lib/index.js' });
  put(
    join(into, 'bindings/package.json'),
    '{ "name": "bindings", "version": "0.0.0", "license": "Apache-2.0" }\n',
  );
  put(join(into, 'bindings/index.js'), DATABASE);
  described('uWebSockets.js', { main: 'uws.js' });
  put(join(into, 'uWebSockets.js/uws.js'), LISTENER);
}

const DATABASE = `// better-sqlite3 asks for its compiled file by this name.
const engine = \`@trunkline/engine-\${process.platform}-\${process.arch}-gnu\`;
module.exports = () => require(\`\${engine}/better_sqlite3_\${process.versions.modules}.node\`);
`;
const LISTENER = `const engine = \`@trunkline/engine-\${process.platform}-\${process.arch}-gnu\`;
const name = \`uws_\${process.platform}_\${process.arch}_\${process.versions.modules}.node\`;

function load() {
  try {
    return require(\`\${engine}/\${name}\`);
  } catch (error) {
    // Before glibc 2.36 an older build serves, for Node 20 alone.
    if (!/GLIBC_/.test(error.message)) throw error;
    try {
      return require(\`\${engine}/older/\${name}\`);
    } catch {
      throw error;
    }
  }
}

module.exports = load();
`;
