import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { changedPrograms, shortForm } from '../../scripts/native/changed-modules.mjs';

describe('the C++ test programs of what changed', () => {
  let folder: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      stdio: 'pipe',
    });
  const write = (path: string, text = 'TEST(A, B) {}\n') => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const commit = (...paths: string[]) => {
    for (const path of paths) write(path, `${path}\n`);
    git('add', '.');
    git('commit', '--quiet', '--message', 'a');
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'changed-'));
    for (const module of ['lanes/hear', 'engine', 'text/tokens', 'fuzz'])
      write(`native/test/${module}/a_test.cc`);
    git('init', '--quiet', '--initial-branch', 'main');
    commit('README.md');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are unknown on the main branch without a release, and known since one', async () => {
    expect(await changedPrograms(folder)).toBeNull();
    git('tag', 'v1.0.0');
    commit('native/engine/engine.cc', 'native/lanes/dub/dub.cc', 'src/main.ts');
    expect(await changedPrograms(folder)).toEqual(['test_engine']);
  });

  it('are those since the work left the main branch, with what is not committed', async () => {
    git('checkout', '--quiet', '-b', 'work');
    commit('native/lanes/hear/lane.cc', 'native/test/fuzz/b.cc');
    commit('src/main.ts');
    write('native/text/tokens/new.h');
    expect(await changedPrograms(folder)).toEqual(['test_hear', 'test_text']);
  });

  it('are four at most in the short form, those of the boundary first', () => {
    const boundary = ['test_base', 'test_onnx', 'test_engine', 'test_rtp'];
    expect(shortForm(null, boundary)).toEqual(boundary);
    expect(shortForm([], boundary)).toEqual([]);
    expect(shortForm(['test_asr', 'test_dsp', 'test_engine', 'test_hear', 'test_omni'], boundary)).toEqual([
      'test_engine',
      'test_asr',
      'test_dsp',
      'test_hear',
    ]);
  });

  it('are unknown without git’s history', async () => {
    rmSync(join(folder, '.git'), { recursive: true });
    expect(await changedPrograms(folder)).toBeNull();
  });
});
