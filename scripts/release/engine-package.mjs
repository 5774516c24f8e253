import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bindingOf } from '../build-native.mjs';
import { turnToOldNames } from '../setup/elf-versions.mjs';
import { Failure } from '../setup/failure.mjs';
import { KNOWN } from '../setup/listener-binary.mjs';
import { run, tail } from '../setup/run.mjs';
import { databaseFor } from './databases.mjs';
import { bundleLibraries, glibcOf, librariesFor } from './libraries.mjs';
import { NODES } from './nodes.mjs';
import { copy, put } from './product.mjs';
import { digestOf } from './tarball.mjs';

const ENGINE = ['trunkline.node', 'trunkline-phonemes', 'trunkline-sip'];
const INFERENCE = 'libonnxruntime.so.1';
const OLDER = 'older';

export const engineName = (arch = process.arch) => `@trunkline/engine-${process.platform}-${arch}-gnu`;

export async function layOutEngine(into, { root, work, version, log, arch = process.arch }) {
  if (process.platform !== 'linux') throw new Failure('an engine package is built on Linux');
  const machine = await librariesFor(arch, { root, log });
  mkdirSync(into, { recursive: true });
  for (const name of ENGINE) {
    const built = join(root, bindingOf(arch), name);
    if (!existsSync(built))
      throw new Failure(
        `the engine is built without ${name}`,
        'apt-get install -y libopus-dev libsrtp2-dev libsofia-sip-ua-dev && npm run build:native',
      );
    copy(built, join(into, name));
    await machine.strip(join(into, name));
    chmodSync(join(into, name), 0o755);
  }
  const bundled = await bundleLibraries(into, ENGINE, machine);
  const onnx = join(root, 'node_modules/onnxruntime-node');
  copy(join(onnx, 'bin/napi-v6', process.platform, arch, INFERENCE), join(into, INFERENCE));
  const databases = await layOutDatabases(into, { root, work, log, arch, machine });
  const listeners = await layOutListeners(into, { root, work, log, arch });
  const compiled = [...ENGINE, ...bundled.map(({ file }) => file), INFERENCE, ...databases, ...listeners];
  const { glibc, file } = glibcOf(into, compiled);
  const withOlder = glibcOf(
    into,
    compiled.filter((name) => !listeners.includes(name)),
  );
  put(
    join(into, 'package.json'),
    `${JSON.stringify(
      {
        name: engineName(arch),
        version,
        description: `The compiled engine of Trunkline for ${process.platform}, ${arch}, glibc`,
        license: 'Apache-2.0',
        os: [process.platform],
        cpu: [arch],
        libc: ['glibc'],
        engines: { node: '^20.19.0 || ^22.12.0 || ^24.0.0' },
        trunkline: { glibc, glibc_of_node_20: withOlder.glibc, libraries: bundled },
      },
      null,
      2,
    )}\n`,
  );
  writePapers(into, { root, arch, bundled });
  log(`engine: needs glibc ${glibc} (${file}); with Node 20 ${withOlder.glibc} (${withOlder.file})`);
  return { bundled, glibc };
}

async function layOutDatabases(into, { root, work, log, arch, machine }) {
  const names = [];
  for (const abi of Object.keys(NODES)) {
    const name = `better_sqlite3_${abi}.node`;
    copy(await databaseFor(abi, { root, work, log, arch }), join(into, name));
    await machine.strip(join(into, name));
    names.push(name);
  }
  return names;
}

/** Each file has the digest that set-up and `doctor` check, after its glibc 2.38 requirement was lowered. */
async function layOutListeners(into, { root, work, log, arch }) {
  const names = [];
  for (const abi of Object.keys(NODES)) {
    const build = `${process.platform}_${arch}_${abi}`;
    const name = `uws_${build}.node`;
    const { published, turned } = KNOWN.builds[build];
    const bytes = readFileSync(join(root, 'node_modules/uWebSockets.js', name));
    if (digestOf(bytes) === published) turnToOldNames(bytes, arch);
    if (digestOf(bytes) !== turned) throw new Failure(`${name} is not the file that was pinned`);
    put(join(into, name), bytes);
    names.push(name);
  }
  await layOutOlder(into, { work, log, arch });
  return names;
}

async function layOutOlder(into, { work, log, arch }) {
  for (const [build, digest] of Object.entries(KNOWN.older.builds)) {
    if (!build.startsWith(`${process.platform}_${arch}_`)) continue;
    const name = `uws_${build}.node`;
    const stored = join(work, 'older-listener', name);
    if (!existsSync(stored)) await fetchOlder(name, join(work, 'older-listener'), log);
    const bytes = readFileSync(stored);
    if (digestOf(bytes) !== digest) throw new Failure(`${stored} is not the file that was pinned`);
    put(join(into, OLDER, name), bytes);
  }
}

async function fetchOlder(name, folder, log) {
  log(`listener: fetching ${KNOWN.older.package}, which serves with glibc before 2.36`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packed = await run('npm', ['pack', KNOWN.older.package, '--silent', '--pack-destination', folder]);
  const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  const part = ['-C', folder, '--strip-components=1', `package/${name}`];
  if (!archive || (await run('tar', ['-xzf', join(folder, archive), ...part])).code !== 0)
    throw new Failure(`${KNOWN.older.package} cannot be fetched:\n${tail(packed.stderr, 5)}`);
  rmSync(join(folder, archive));
}

function writePapers(into, { root, arch, bundled }) {
  for (const name of ['LICENSE', 'NOTICES']) copy(join(root, name), join(into, name));
  for (const name of ['better-sqlite3'])
    copy(join(root, 'node_modules', name, 'LICENSE'), join(into, 'licences', `${name}.txt`));
  const rows = bundled.map(
    ({ file, package: name, source, version, licence }) =>
      `| ${file} | ${name} ${version} (Debian source package ${source}) | ${licence} |`,
  );
  writeFileSync(
    join(into, 'README.md'),
    `# ${engineName(arch)}

The compiled part of Trunkline for one platform. The package \`trunkline\` installs it by itself.

These shared libraries are copies of Debian's, each in a file of its own that can be replaced by another build. Their
sources are in Debian's archive under the name and version of the source package.

| File | Package | Licence |
| --- | --- | --- |
${rows.join('\n')}
`,
  );
}
