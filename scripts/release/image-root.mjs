import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { copyPackage } from '../debian/contents.mjs';
import { runtimePackages } from '../debian/packages.mjs';
import { Failure } from '../setup/failure.mjs';
import { engineName, layOutEngine } from './engine-package.mjs';
import { OF_EVERY_MACHINE, parseLinked, tool } from './libraries.mjs';
import { IN_ENGINE, layOutMain } from './main-package.mjs';
import { copyTree, put } from './product.mjs';

const DEBIAN = [
  'base-files',
  'libc6',
  'libgcc-s1',
  'libstdc++6',
  'ca-certificates',
  'netbase',
  'tzdata',
  'busybox-static',
  'coreutils',
  'util-linux',
];
/** Only these files of a package are taken: programs that Debian's busybox lacks. */
const PARTS = {
  coreutils: ['./usr/bin/nice', './usr/share/doc/coreutils/copyright'],
  'util-linux': ['./usr/bin/flock', './usr/share/doc/util-linux/copyright'],
};
const UNREAD = [
  'usr/share/doc-base',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/lintian',
  'usr/share/info',
  'usr/lib/x86_64-linux-gnu/gconv',
  'usr/share/zoneinfo/right',
  'usr/share/zoneinfo/posix',
];
/** The server runs nice, sh, sync, true and unshare; a first start runs flock and tar; the rest serves who looks inside. */
const OF_BUSYBOX = [
  ...['sh', 'sync', 'true', 'unshare', 'tar', 'gzip'],
  ...['cat', 'ls', 'id', 'env', 'ps', 'wget', 'sleep'],
];
/** The user is a number, because Kubernetes checks `runAsNonRoot` by it. */
export const USER = 10001;
export const APP = 'app';
export const FULL_MODELS = 'usr/lib/trunkline-models';

export async function layOutBase(root, { work }) {
  for (const folder of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(root, 'usr', folder), { recursive: true });
    symlinkSync(`usr/${folder}`, join(root, folder));
  }
  const archives = await fetchPackages(join(work, 'debian-packages'));
  const described = await Promise.all(archives.map(describe));
  for (const [at, { name }] of described.entries())
    await tool('sh', [
      '-c',
      'of=$1 into=$2; shift 2; dpkg-deb --fsys-tarfile "$of" | tar -x --keep-directory-symlink -C "$into" "$@"',
      'sh',
      archives[at],
      root,
      ...(PARTS[name] ?? []),
    ]);
  for (const path of UNREAD) rmSync(join(root, path), { recursive: true, force: true });
  joinCertificates(root);
  const applets = new Set((await tool(join(root, 'usr/bin/busybox'), ['--list'])).split('\n'));
  for (const name of OF_BUSYBOX) {
    if (!applets.has(name)) throw new Failure(`Debian's busybox has no ${name}`);
    symlinkSync('busybox', join(root, 'usr/bin', name));
  }
  put(
    join(root, 'etc/passwd'),
    `root:x:0:0:root:/root:/sbin/nologin\ntrunkline:x:${USER}:${USER}::/data:/sbin/nologin\n`,
  );
  put(join(root, 'etc/group'), `root:x:0:\ntrunkline:x:${USER}:\n`);
  put(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  for (const folder of ['data', 'models', 'tmp', 'proc', 'sys', 'dev', 'run'])
    mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, 'data'), 0o700);
  await layOutNode(root);
  return described;
}

async function fetchPackages(folder) {
  const wanted = DEBIAN.length;
  const there = () => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.deb')) : []);
  if (there().length !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await tool('apt-get', ['download', '--quiet', ...DEBIAN], { cwd: folder });
  }
  return there().map((name) => join(folder, name));
}

async function describe(archive) {
  const fields = ['Package', 'Version', 'Architecture', 'Source'];
  const text = await tool('dpkg-deb', ['--field', archive, ...fields]);
  const of = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
  return {
    name: of('Package'),
    version: of('Version'),
    architecture: of('Architecture'),
    source: (of('Source') ?? of('Package')).split(' ')[0],
  };
}

function joinCertificates(root) {
  const folder = join(root, 'usr/share/ca-certificates/mozilla');
  const all = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim());
  put(join(root, 'etc/ssl/certs/ca-certificates.crt'), `${all.join('\n')}\n`);
  rmSync(folder, { recursive: true });
}

/** npm is included because a first start with an empty volume fetches the models with it. */
async function layOutNode(root) {
  const node = realpathSync(process.execPath);
  const foreign = parseLinked(await tool('ldd', [node])).filter(([name]) => !OF_EVERY_MACHINE.test(name));
  if (foreign.length > 0)
    throw new Failure(
      `this Node is linked with ${foreign.map(([name]) => name).join(', ')}`,
      'install Node from https://nodejs.org/en/download and build the image with it',
    );
  const path = join(root, 'usr/local/bin/node');
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(node, path);
  await tool('strip', ['--strip-unneeded', path]);
  const npm = dirname(dirname(realpathSync((await tool('sh', ['-c', 'command -v npm'])).trim())));
  const read = (file) => !/(^|\/)(docs|man|html)\/|\.(md|map)$/.test(file);
  copyTree(npm, join(root, 'usr/local/lib/node_modules/npm'), read);
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  for (const bin of ['npm-cli.js'])
    await tool('chmod', ['755', join(root, 'usr/local/lib/node_modules/npm/bin', bin)]);
}

export async function layOutProduct(root, { project, work, version, prebuilt, log }) {
  const into = join(root, APP);
  layOutMain(into, { root: project, version, engines: {}, prebuilt });
  for (const path of runtimePackages(project, { without: IN_ENGINE })) copyPackage(project, path, into);
  const engine = join(into, 'node_modules', engineName());
  const { bundled } = await layOutEngine(engine, { root: project, work, version, log });
  const abi = process.versions.modules;
  for (const name of readdirSync(engine))
    if (/^(uws|better_sqlite3)_.*\.node$/.test(name) && !name.endsWith(`_${abi}.node`))
      rmSync(join(engine, name));
  rmSync(join(engine, 'older'), { recursive: true, force: true });
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  symlinkSync(`/${APP}/bin/trunkline.mjs`, join(root, 'usr/local/bin/trunkline'));
  return { bundled };
}

export function writeDocument(root, path, document) {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
