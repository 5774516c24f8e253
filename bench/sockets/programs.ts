import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'build-bench';
const LIBRARIES = ['engine', 'onnx', 'base'].map((module) => `build-native/libtrunkline_${module}.a`);

function build(name: string, source: string, words: readonly string[]): string {
  mkdirSync(FOLDER, { recursive: true });
  const program = join(FOLDER, name);
  execFileSync('c++', ['-std=c++20', '-o', program, source, ...words], { stdio: 'inherit' });
  return program;
}

export const buildDriver = (): string => build('socket-load', 'bench/sockets/load.cc', ['-O2']);

let floor: string | undefined;

export function buildFloor(): string {
  floor ??= build('socket-floor', 'bench/sockets/floor.cc', [
    '-O3',
    '-Inative',
    ...LIBRARIES,
    '-lpthread',
    '-ldl',
  ]);
  return floor;
}
