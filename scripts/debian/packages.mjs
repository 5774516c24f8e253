/**
 * Lists the npm packages of package-lock.json that the product needs at run time, and the files of them that this
 * machine's build needs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const BUILD_ALONE = new Set([
  '@mapbox/node-pre-gyp',
  'cmake-js',
  'node-addon-api',
  'node-api-headers',
]);
const MODULES = 'node_modules/';

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

/** No program reads these files: maps, types, and builds for other machines and versions of Node. */
const LEFT_OUT = [
  /\.(map|d\.[cm]?ts|tsbuildinfo)$/,
  /^better-sqlite3\/(deps|src)\//,
  /^better-sqlite3\/build\/(?!Release\/better_sqlite3\.node$)/,
  new RegExp(`^onnxruntime-node/bin/napi-v\\d+/(?!${platform}/${arch}/)`),
  new RegExp(`^uWebSockets\\.js/uws_(?!${platform}_${arch}_${abi}\\.node$).*\\.node$`),
];

export const isRun = (path) => !LEFT_OUT.some((pattern) => pattern.test(path));
