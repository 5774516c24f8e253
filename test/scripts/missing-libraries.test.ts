import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { soundParts } from '../../src/main/models.ts';
import { missingLibraries } from '../../src/media/engine/index.ts';

interface Compile {
  missingLibraries(cache: string): { name: string; package: string }[];
}
const root = join(import.meta.dirname, '../..');
const compile = (await import(join(root, 'scripts/native/compile.mjs'))) as Compile;

describe('a library that is not there', () => {
  it('is a part that is not ready, with what that costs and the command that mends it', () => {
    const [opus, srtp] = soundParts(missingLibraries({ opus: false, srtp: true }));
    expect(opus).toMatchObject({ name: 'sound (Opus)', ready: false, required: false });
    expect(opus?.detail).toMatch(/8 kHz.*apt-get install -y libopus-dev/);
    expect(srtp).toEqual({ name: 'sound (SRTP)', ready: true, required: false });
    expect(soundParts(missingLibraries({ opus: true, srtp: false }))[1]?.detail).toContain('libsrtp2-dev');
  });

  it('is read from the cache of the build', () => {
    const found = [
      'TRUNKLINE_OPUS_INCLUDE:PATH=/usr/include/opus',
      'TRUNKLINE_OPUS_LIBRARY:FILEPATH=/lib/libopus.so',
    ];
    const lost = ['TRUNKLINE_SRTP_INCLUDE:PATH=TRUNKLINE_SRTP_INCLUDE-NOTFOUND'];
    expect(compile.missingLibraries(found.join('\n'))).toEqual([]);
    expect(compile.missingLibraries([...found, ...lost].join('\n'))).toMatchObject([
      { package: 'libsrtp2-dev' },
    ]);
  });

  it('is found by the next configuration of the same folder, and is missed where it is gone again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trunkline-libraries-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const prefix = join(folder, 'prefix');
    writeFileSync(
      join(folder, 'CMakeLists.txt'),
      `cmake_minimum_required(VERSION 3.18)\nproject(libraries NONE)\ninclude("${join(root, 'native/libraries.cmake')}")\n`,
    );
    const missing = () => {
      const only = ['-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF', '-DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF'];
      const make = spawnSync('sh', ['-c', 'command -v make'], { encoding: 'utf8' }).stdout.trim();
      const suffix = [
        '-DCMAKE_FIND_LIBRARY_PREFIXES=lib',
        '-DCMAKE_FIND_LIBRARY_SUFFIXES=.so',
        `-DCMAKE_MAKE_PROGRAM=${make}`,
      ];
      const args = [
        '-S',
        folder,
        '-B',
        join(folder, 'build'),
        `-DCMAKE_PREFIX_PATH=${prefix}`,
        ...only,
        ...suffix,
      ];
      const { status, stderr } = spawnSync('cmake', args, { encoding: 'utf8' });
      expect(status, stderr).toBe(0);
      const cache = readFileSync(join(folder, 'build/CMakeCache.txt'), 'utf8');
      return compile.missingLibraries(cache).map(({ name }) => name);
    };
    expect(missing()).toEqual(['Opus', 'SRTP']);
    for (const name of ['include/opus', 'include/srtp2', 'lib'])
      mkdirSync(join(prefix, name), { recursive: true });
    for (const file of ['include/opus/opus.h', 'include/srtp2/srtp.h', 'lib/libopus.so', 'lib/libsrtp2.so'])
      writeFileSync(join(prefix, file), '');
    expect(missing()).toEqual([]);
    rmSync(join(prefix, 'lib/libopus.so'));
    expect(missing()).toEqual(['Opus']);
  });
});
