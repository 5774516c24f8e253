/** Lists the files of the product that every form of a release contains: npm packages, Debian packages and images. */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const PRODUCT = [
  'dist',
  'dist-console',
  'lib/binding',
  'models',
  'scripts/convert-model.mjs',
  'scripts/fetch-models.mjs',
  'scripts/gpu-runtime.mjs',
  'scripts/models',
  'scripts/setup',
  'src/telephony/carriers/loopback/network.yaml',
  'src/telephony/compliance/registry/countries',
  'src/products/trace/packs/builtin',
  'src/apps/widget',
  'LICENSE',
  'NOTICES',
];
const NOT_READ = /^(npm|image)\/|(^|\/)(\.[^/]*|[^/]*\.(map|stamp))$/;
const PROGRAMS = /(^|\/)(trunkline(-sip|-phonemes)?(\.mjs)?|ffmpeg|postinst|prerm|postrm)$/;

export function copyProduct(root, into, { without = [] } = {}) {
  for (const path of PRODUCT.filter((entry) => !without.includes(entry)))
    copyTree(join(root, path), join(into, path), (file) => !NOT_READ.test(file));
}

export function copyTree(from, to, wanted) {
  if (!statSync(from).isDirectory()) return copy(from, to);
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const inside = relative(from, path);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && wanted(inside)) copy(path, join(to, inside));
    }
  };
  visit(from);
}

export function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, PROGRAMS.test(to) ? 0o755 : 0o644);
}

export function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
