/** The long form packs with `npm run pack`, installs without a compiler, serves and makes a first call. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { defaultRoot, readManifest, selectModels } from '../../scripts/models/layout.mjs';
// @ts-expect-error scripts are plain JavaScript
import { staleFiles } from '../../scripts/models/stamps.mjs';
// @ts-expect-error scripts are plain JavaScript
import { isBuiltFor } from '../../scripts/release/databases.mjs';
// @ts-expect-error scripts are plain JavaScript
import { parseLinked } from '../../scripts/release/libraries.mjs';
// @ts-expect-error scripts are plain JavaScript
import { layOutMain } from '../../scripts/release/main-package.mjs';
// @ts-expect-error scripts are plain JavaScript
import { modelPackage, packModel, tarballName } from '../../scripts/release/model-packages.mjs';
// @ts-expect-error scripts are plain JavaScript
import { NODES, nodeProgram } from '../../scripts/release/nodes.mjs';
// @ts-expect-error scripts are plain JavaScript
import { ownVersion, PACKED, packRelease, WORK } from '../../scripts/release/pack.mjs';
// @ts-expect-error scripts are plain JavaScript
import { startRegistry } from '../../scripts/release/registry.mjs';
// @ts-expect-error scripts are plain JavaScript
import { Trial } from '../../scripts/release/trial.mjs';
// @ts-expect-error scripts are plain JavaScript
import { isNewer } from '../../scripts/setup/elf-versions.mjs';
import { long, longForm } from '../long-tests.ts';
import { compileProgram, root } from '../running-server.ts';

const ENGINE = '@trunkline/engine-linux-x64-gnu';
let folder = '';
beforeAll(compileProgram, 120_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trunkline-pack-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const json = (...path: string[]) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));
const lay = () =>
  layOutMain(folder, {
    root,
    version: '1.2.3',
    engines: { [ENGINE]: { version: '1.2.3', optional: true } },
    prebuilt: [],
  });

describe('the package trunkline', () => {
  it('depends on nothing that compiles when it is installed', () => {
    lay();
    const { dependencies, optionalDependencies, scripts, bin } = json('package.json');
    for (const name of ['better-sqlite3', 'onnxruntime-node', 'uWebSockets.js', 'cmake-js', 'node-addon-api'])
      expect(dependencies).not.toHaveProperty([name]);
    expect(optionalDependencies).toMatchObject({ [ENGINE]: '1.2.3' });
    expect(scripts).toBeUndefined();
    expect(existsSync(join(folder, bin.trunkline))).toBe(true);
    const locked = Object.values(json('npm-shrinkwrap.json').packages) as { hasInstallScript?: boolean }[];
    expect(locked.filter(({ hasInstallScript }) => hasInstallScript)).toEqual([]);
  });

  it('pins every package that it runs with, by digest, and none that only builds or tests', () => {
    lay();
    const { packages } = json('npm-shrinkwrap.json') as {
      packages: Record<string, { integrity?: string; dev?: boolean }>;
    };
    const { dependencies } = json('package.json') as { dependencies: Record<string, string> };
    for (const name of Object.keys(dependencies)) expect(packages).toHaveProperty([`node_modules/${name}`]);
    const { '': own, [`node_modules/${ENGINE}`]: engine, ...rest } = packages;
    expect(own).toBeDefined();
    expect(engine).toMatchObject({ version: '1.2.3', optional: true });
    for (const [path, entry] of Object.entries(rest))
      expect({ path, ...entry }).toMatchObject({ path, integrity: expect.stringMatching(/^sha512-/) });
    for (const name of ['vitest', 'typescript', 'rolldown', 'vite', 'cmake-js'])
      expect(packages).not.toHaveProperty([`node_modules/${name}`]);
  });

  it('holds the program, the console, the recipes and their licences, and neither sources nor tests', () => {
    lay();
    for (const path of [
      'dist/apps/cli/index.js',
      'dist-console/index.html',
      'models/manifest.json',
      'models/recipes/requirements.txt',
      'scripts/models/fetch.mjs',
      'LICENSE',
      'NOTICES',
      'dist/node_modules/better-sqlite3/LICENSE',
    ])
      expect(existsSync(join(folder, path)), path).toBe(true);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files.filter((path) => /\.(map|tgz|node|stamp)$|^test\/|(^|\/)\.[^/]+$/.test(path))).toEqual([]);
  });
});

it('tells for which Node a database was compiled', () => {
  const built = join(root, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node');
  const own = Number(process.versions.modules);
  expect([isBuiltFor(built, own), isBuiltFor(built, own + 1)]).toEqual([true, false]);
});

it('packs a model with programs for each processor, and any other once', () => {
  const [decoder, recognizer] = selectModels(readManifest(), { only: ['ffmpeg', 'whisper-base'] });
  const packages = (model: object) =>
    ['linux-x64', 'linux-arm64'].map((platform) => modelPackage(model, platform));
  const [own, other] = packages(decoder);
  expect([own.name, other.name]).toEqual([
    '@trunkline/model-ffmpeg-linux-x64',
    '@trunkline/model-ffmpeg-linux-arm64',
  ]);
  expect(other.version).not.toBe(own.version);
  const [here, there] = packages(recognizer);
  expect(there).toEqual(here);
});

describe('a model whose package npm installed beside the program', () => {
  const [model] = selectModels(readManifest(), { only: ['silero-vad'] });
  const installed = () => join(folder, 'app/node_modules', modelPackage(model).name);

  async function install() {
    const out = join(folder, 'packed');
    mkdirSync(out);
    const entry = await packModel(model, {
      root,
      cache: defaultRoot(),
      out,
      work: join(folder, 'work'),
      log: () => {},
    });
    layOutMain(join(folder, 'app/node_modules/trunkline'), {
      root,
      version: '1.2.3',
      engines: {},
      prebuilt: [entry],
    });
    mkdirSync(installed(), { recursive: true });
    const archive = join(out, tarballName(entry));
    const { status } = spawnSync('tar', ['-xzf', archive, '-C', installed(), '--strip-components=1']);
    expect(status).toBe(0);
  }

  /** Neither npm nor pip is on the path, so that nothing can be fetched. */
  function fetched() {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync('/usr/bin/flock', join(bin, 'flock'));
    const program = join(folder, 'app/node_modules/trunkline/scripts/fetch-models.mjs');
    const args = [program, '--only', 'silero-vad', '--root', join(folder, 'models')];
    const env = { PATH: bin, HOME: folder };
    return spawnSync(process.execPath, args, { encoding: 'utf8', env });
  }

  it('is used as it is, without a registry', async () => {
    await install();
    const { status, stdout } = fetched();
    expect([status, stdout]).toEqual([0, expect.not.stringContaining('npm is missing')]);
    expect(staleFiles(join(folder, 'models'), model)).toEqual([]);
    expect(existsSync(join(installed(), 'files'))).toBe(true);
  });

  const fileOf = () => {
    const entries = readdirSync(join(installed(), 'files'), { recursive: true, withFileTypes: true });
    const file = entries.find((entry) => entry.isFile())!;
    return join(file.parentPath, file.name);
  };
  it.each<[string, () => void, string]>([
    ['has other bytes', () => appendFileSync(fileOf(), 'x'), 'received [0-9a-f]{64}; fetching it'],
    ['is missing', () => rmSync(fileOf()), 'received nothing; fetching it'],
    ['is not described', () => writeFileSync(join(installed(), 'package.json'), '{'), 'making the rest'],
  ])('is fetched again where it %s', async (_what, damage, message) => {
    await install();
    damage();
    const { status, stdout } = fetched();
    expect(status).toBe(1);
    expect(stdout).toMatch(new RegExp(message));
    expect(stdout).toContain('npm is missing');
  });
});

it('reads which libraries a program is linked with, and which are not there', () => {
  const said = `\tlinux-vdso.so.1 (0x00007fff)
\tlibopus.so.0 => /lib/x86_64-linux-gnu/libopus.so.0 (0x00007f1)
\tlibsrtp2.so.1 => not found
\t/lib/ld-linux-aarch64.so.1 => /lib/aarch64-linux-gnu/ld-linux-aarch64.so.1 (0x00007f3)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f2)\n`;
  expect(parseLinked(said)).toEqual([
    ['libopus.so.0', '/lib/x86_64-linux-gnu/libopus.so.0'],
    ['libsrtp2.so.1', undefined],
  ]);
});

const models = selectModels(readManifest()) as readonly object[];
const hasModels = models.every((model) => staleFiles(defaultRoot(), model).length === 0);
const noPack = process.platform !== 'linux' ? 'Linux' : hasModels ? '' : 'models';
if (long && noPack !== '') console.warn(`no release is packed here, for want of ${noPack}`);

describe.skipIf(!long || noPack !== '')(longForm('a release'), () => {
  const log = () => {};
  beforeAll(() => packRelease({ out: PACKED, version: ownVersion(), models, log }), 600_000);

  it('serves from its files alone, where no registry has its packages', { timeout: 600_000 }, async () => {
    const registry = await startRegistry({ root, packages: folder });
    const trial = new Trial(folder, { registry: registry.url });
    try {
      const files = readdirSync(PACKED).filter((name) => name.endsWith('.tgz'));
      await trial.install(...files.map((name) => join(PACKED, name)));
      await registry.close();
      const lines: string[] = [];
      const url = await trial.serve((line: string) => lines.push(line));
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect(lines.join('\n')).not.toMatch(/fetching|downloading|registry/);
    } finally {
      await trial.stop();
    }
  });

  it.each(Object.entries(NODES as Record<string, string>))(
    'installs without a compiler, resumes models that broke off, serves and answers (interface %s, Node %s)',
    {
      timeout: 600_000,
    },
    async (abi, version) => {
      const cut = 1_000_000;
      const cutAfter = (name: string, before: number) =>
        name.startsWith('@trunkline/model-') && before === 0 ? cut : undefined;
      const registry = await startRegistry({ root, packages: PACKED, cutAfter });
      const node = await nodeProgram(abi, WORK, log);
      const trial = new Trial(folder, { registry: registry.url, node });
      try {
        const said = spawnSync(join(trial.programs, 'node'), ['--print', 'process.versions.modules'], {
          encoding: 'utf8',
        });
        expect(said.stdout.trim(), version).toBe(abi);
        await trial.install('trunkline');
        const { glibc_of_node_20: oldest } = json(
          'app/node_modules/trunkline/node_modules',
          ENGINE,
          'package.json',
        ).trunkline;
        expect(isNewer(oldest, '2.35')).toBe(false);
        const lines: string[] = [];
        const url = await trial.serve((line: string) => lines.push(line));
        expect(lines.join('\n')).toMatch(/models: \d+ of \d+ MB, \d+ s left/);
        expect(lines.join('\n')).toMatch(/going on at \d+ MB/);
        const post = (path: string, key: string, body?: unknown) =>
          fetch(url + path, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            ...(body ? { body: JSON.stringify(body) } : { body: '{}' }),
          });
        const { api_key: key } = (await (await post('/v1/sandbox/keys', '')).json()) as { api_key: string };
        const input = 'Your appointment is tomorrow at nine.';
        const spoken = await post('/v1/audio/speech', key, { model: 'svc-speak', voice: 'en1', input });
        const form = new FormData();
        form.set('model', 'svc-hear');
        form.set('file', new Blob([await spoken.arrayBuffer()]), 'said.mp3');
        const heard = await fetch(`${url}/v1/audio/transcriptions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}` },
          body: form,
        });
        expect(((await heard.json()) as { text: string }).text).toMatch(/appointment is tomorrow/);
        const doctor = await trial.command('doctor');
        expect(doctor.stdout).toMatch(/^ok +sound \(SRTP\)$/m);
        expect(doctor.stdout).not.toMatch(/^FAILS/m);
      } finally {
        await trial.stop();
        await registry.close();
      }
    },
  );
});
