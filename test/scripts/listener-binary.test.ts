import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itWhere } from '../long-tests.ts';

interface Machine {
  abi: string;
  platform: string;
  arch: string;
  glibc: string;
}

interface Build {
  readonly published: string;
  readonly turned: string;
}

interface Program {
  fitListener(root: string, machine: Machine): Promise<void>;
  listenerFits(root: string): boolean;
  KNOWN: {
    builds: Record<string, Build>;
    older: { builds: Record<string, string> };
  };
}

const root = join(import.meta.dirname, '../..');
const program = (await import(join(root, 'scripts/setup/listener-binary.mjs'))) as Program;
const { fitListener, listenerFits, KNOWN } = program;
const elf = (await import(join(root, 'scripts/setup/elf-versions.mjs'))) as {
  demanded(bytes: Buffer): string;
};

const PACKAGE = 'node_modules/uWebSockets.js';
const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
const demanded = (path: string) => elf.demanded(readFileSync(path));

/** The dynamic loader checks versions before symbols; the missing V8 comes later. */
function loaderSays(path: string): string {
  const load = 'import ctypes,os,sys; ctypes.CDLL(sys.argv[1], mode=os.RTLD_LAZY)';
  return spawnSync('python3', ['-c', load, path], { encoding: 'utf8' }).stderr;
}

describe('the listener’s binary', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'listener-'));
    mkdirSync(join(folder, PACKAGE), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function bring(abi: string, arch = 'x64'): string {
    const name = `uws_linux_${arch}_${abi}.node`;
    cpSync(join(root, PACKAGE, name), join(folder, PACKAGE, name));
    return join(folder, PACKAGE, name);
  }
  const machine = (abi: string, glibc: string, arch = 'x64') => ({ abi, platform: 'linux', arch, glibc });
  const OTHER = process.versions.modules === '127' ? '137' : '127';

  it.each(
    ['115', '127', '137', '141'].flatMap((abi) => [
      [abi, 'x64'],
      [abi, 'arm64'],
    ]),
  )('of Node ABI %s on %s asks for no newer C library than that of Debian 12', async (abi, arch) => {
    const path = bring(abi!, arch);
    await fitListener(folder, machine(abi!, '2.36', arch));
    expect(demanded(path)).toBe('2.36');
    expect(digest(path)).toBe(KNOWN.builds[`linux_${arch}_${abi}`]!.turned);
    if (arch === process.arch) expect(loaderSays(path)).not.toMatch(/GLIBC_2\.38|isoc23/);
  });

  it('is left as it was published where the C library is new enough', async () => {
    const path = bring(OTHER);
    await fitListener(folder, machine(OTHER, '2.39'));
    expect(demanded(path)).toBe('2.38');
    expect(digest(path)).toBe(KNOWN.builds[`linux_x64_${OTHER}`]!.published);
  });

  it('is replaced and not written over: another checkout may share the file', async () => {
    const path = bring(OTHER);
    const before = statSync(path).ino;
    await fitListener(folder, machine(OTHER, '2.36'));
    expect(statSync(path).ino).not.toBe(before);
  });

  it.each(['2.36', '2.39'])(
    'is refused where it is another file than was weighed: glibc %s',
    async (glibc) => {
      const path = bring(OTHER);
      const bytes = readFileSync(path);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(path, bytes);
      await expect(fitListener(folder, machine(OTHER, glibc))).rejects.toThrow(/not match a published build/);
      expect(listenerFits(folder)).toBe(false);
    },
  );

  it('is fitted once for a Node, and again for another', async () => {
    bring(process.versions.modules, process.arch);
    bring(OTHER);
    expect(listenerFits(folder)).toBe(false);
    await fitListener(folder, machine(process.versions.modules, '2.39', process.arch));
    expect(listenerFits(folder)).toBe(true);
    await fitListener(folder, machine(OTHER, '2.36'));
    expect(listenerFits(folder)).toBe(false);
  });

  itWhere(process.versions.modules === '115')(
    'is the older build before glibc 2.36, which loads and serves',
    async () => {
      const path = bring('115', process.arch);
      await fitListener(folder, machine('115', '2.35', process.arch));
      expect(digest(path)).toBe(KNOWN.older.builds[`linux_${process.arch}_115`]);
      expect(elf.demanded(readFileSync(path)).split('.').map(Number)[1]).toBeLessThanOrEqual(35);
      const serve = `
        const uws = require(process.argv[1]);
        uws.App().get('/*', (response) => response.end('served')).listen(0, async (socket) => {
          const answer = await fetch('http://127.0.0.1:' + uws.us_socket_local_port(socket));
          console.log(await answer.text());
          process.exit(0);
        });`;
      expect(spawnSync(process.execPath, ['-e', serve, path], { encoding: 'utf8' }).stdout).toBe('served\n');
    },
    120_000,
  );

  it.each([
    ['127', '2.35', /needs glibc 2\.36, this machine has 2\.35/],
    ['999', '2.36', /there is no build of it for Node/],
  ])('that cannot run is named with what to install: ABI %s, glibc %s', async (abi, glibc, says) => {
    bring('127');
    await expect(fitListener(folder, machine(abi, glibc))).rejects.toThrow(says);
    expect(listenerFits(folder)).toBe(false);
  });
});
