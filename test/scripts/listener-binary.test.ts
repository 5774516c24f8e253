import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Machine {
  abi: string;
  platform: string;
  arch: string;
  glibc: string;
}

interface Program {
  fitListener(root: string, machine: Machine): void;
  listenerFits(root: string): boolean;
  demanded(elf: Buffer): string;
}

const root = join(import.meta.dirname, '../..');
const program = (await import(join(root, 'scripts/setup/listener-binary.mjs'))) as Program;
const { fitListener, listenerFits, demanded } = program;

const PACKAGE = 'node_modules/uWebSockets.js';

describe('the listener’s binary', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'listener-'));
    mkdirSync(join(folder, PACKAGE), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** The package's own file, copied where set-up looks for it. */
  function bring(abi: string, arch = 'x64'): string {
    const name = `uws_linux_${arch}_${abi}.node`;
    cpSync(join(root, PACKAGE, name), join(folder, PACKAGE, name));
    return join(folder, PACKAGE, name);
  }
  const machine = (abi: string, glibc: string, arch = 'x64') => ({ abi, platform: 'linux', arch, glibc });

  it.each([
    ['127', 'x64'],
    ['137', 'x64'],
    ['141', 'x64'],
    ['127', 'arm64'],
  ])('of Node ABI %s on %s asks for no newer C library than that of Debian 12', (abi, arch) => {
    const path = bring(abi, arch);
    expect(demanded(readFileSync(path))).toBe('2.38');
    fitListener(folder, machine(abi, '2.36', arch));
    expect(demanded(readFileSync(path))).toBe('2.36');
    if (arch !== process.arch) return;
    // The system's own loader looks at versions before symbols; that V8 is missing here comes after.
    const load = 'import ctypes,os,sys; ctypes.CDLL(sys.argv[1], mode=os.RTLD_LAZY)';
    const { stderr } = spawnSync('python3', ['-c', load, path], { encoding: 'utf8' });
    expect(stderr).not.toMatch(/GLIBC_2\.38|isoc23/);
  });

  it('is left as it is where the C library is new enough', () => {
    const path = bring('127');
    const before = readFileSync(path);
    fitListener(folder, machine('127', '2.39'));
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is replaced and not written over: another checkout may share the file', () => {
    const path = bring('127');
    const before = statSync(path).ino;
    fitListener(folder, machine('127', '2.36'));
    expect(statSync(path).ino).not.toBe(before);
  });

  it('is fitted once for a Node, and again for another', () => {
    bring(process.versions.modules, process.arch);
    bring('127');
    expect(listenerFits(folder)).toBe(false);
    fitListener(folder, machine(process.versions.modules, '2.39', process.arch));
    expect(listenerFits(folder)).toBe(true);
    fitListener(folder, machine('127', '2.36'));
    expect(listenerFits(folder)).toBe(process.versions.modules === '127');
  });

  it.each([
    ['127', '2.35', /needs glibc 2\.36, this machine has 2\.35/],
    ['999', '2.36', /there is no build of it for Node/],
  ])('that cannot run is named with what to install: ABI %s, glibc %s', (abi, glibc, says) => {
    bring('127');
    expect(() => fitListener(folder, machine(abi, glibc))).toThrow(says);
    expect(listenerFits(folder)).toBe(false);
  });
});
