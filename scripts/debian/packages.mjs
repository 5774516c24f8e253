/** The npm packages that the product runs with, from package-lock.json, and which of their files this machine's build needs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** These dependencies of package.json are needed for building only. */
export const BUILD_ALONE = new Set([
  '@mapbox/node-pre-gyp',
  'cmake-js',
  'node-addon-api',
  'node-api-headers',
]);
const MODULES = 'node_modules/';

/** Their folders, from the project's. `without`: direct dependencies that are left out. */
export function runtimePackages(root, { without = [] } = {}) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Set();
  const visit = (from, names) => {
    for (const name of names) {
      const path = placeOf(packages, from, name);
      if (path === undefined || found.has(path) || !existsSync(join(root, path))) continue;
      found.add(path);
      visit(path, neededBy(packages[path]));
    }
  };
  const { dependencies, optionalDependencies } = packages[''];
  const own = Object.keys({ ...dependencies, ...optionalDependencies });
  visit(
    '',
    own.filter((name) => !BUILD_ALONE.has(name) && !without.includes(name)),
  );
  return [...found].sort();
}

const neededBy = ({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }) => {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
};

/** Resolves a package as Node does: beside the package's own, then beside each that contains it. */
function placeOf(packages, from, name) {
  for (let at = from; ; at = holderOf(at)) {
    const path = at === '' ? MODULES + name : `${at}/${MODULES}${name}`;
    if (packages[path]) return path;
    if (at === '') return undefined;
  }
}

const holderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf(MODULES) - 1));

const { platform, arch } = process;
const abi = process.versions.modules;

/** Files that no program reads, and builds for other machines and other versions of Node. */
const LEFT_OUT = [
  /\.(map|d\.[cm]?ts|tsbuildinfo)$/,
  /^better-sqlite3\/(deps|src)\//,
  /^better-sqlite3\/build\/(?!Release\/better_sqlite3\.node$)/,
  new RegExp(`^onnxruntime-node/bin/napi-v\\d+/(?!${platform}/${arch}/)`),
  new RegExp(`^uWebSockets\\.js/uws_(?!${platform}_${arch}_${abi}\\.node$).*\\.node$`),
];

/** `path`: from the folder of packages. */
export const isRun = (path) => !LEFT_OUT.some((pattern) => pattern.test(path));
