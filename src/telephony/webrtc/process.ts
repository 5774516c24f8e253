import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { compiledProgram } from '../../foundation/platform/project-root.ts';
import { type FrameHandler, FrameReader } from './protocol.ts';

const WORKER = compiledProgram(import.meta.url, 'telephony/webrtc', 'worker/main.js');
const PASSED_ON = ['PATH', 'HOME', 'LD_LIBRARY_PATH', 'TMPDIR', 'SystemRoot'];
const STDERR_CHARACTERS = 500;
const PIPE = 3;

export function libraryMissing(): string | null {
  try {
    createRequire(import.meta.url).resolve('node-datachannel');
    return null;
  } catch {
    return 'the optional package node-datachannel is not installed: npm install adds it on supported platforms';
  }
}

export interface PeersProcess {
  readonly pid: number | null;
  write(bytes: Buffer): void;
  kill(): Promise<void>;
}

export interface PeersProcessOptions {
  readonly take: FrameHandler;
  /** The last event, sent once. */
  readonly ended: (reason: string) => void;
  readonly worker?: string;
}

/** Starts the peer process, with a pipe to it. A packet from the network that crashes it leaves the server running. */
export function startPeersProcess({ take, ended, worker = WORKER }: PeersProcessOptions): PeersProcess {
  const child = spawn(process.execPath, [worker], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: Object.fromEntries(
      PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
    ),
  });
  const said = lastWords(child);
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      said.push(error.message);
      resolve();
    });
    child.once('close', () => resolve());
  });
  void gone.then(() =>
    ended(`the process of the peers ended with ${child.exitCode ?? child.signalCode}${said.text()}`),
  );
  const pipe = child.stdio[PIPE] as Socket;
  const reader = new FrameReader(take);
  pipe.on('error', () => child.kill('SIGKILL'));
  pipe.on('data', (chunk: Buffer) => {
    try {
      reader.read(chunk);
    } catch (error) {
      said.push((error as Error).message);
      child.kill('SIGKILL');
    }
  });
  return {
    pid: child.pid ?? null,
    write: (bytes) => {
      if (pipe.writable) pipe.write(bytes);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function lastWords(child: ChildProcess): { push(text: string): void; text(): string } {
  let said = '';
  const push = (text: string) => {
    said = (said + text).slice(-STDERR_CHARACTERS);
  };
  child.stderr?.setEncoding('utf8').on('data', push);
  return { push, text: () => (said.trim() === '' ? '' : `: ${said.trim()}`) };
}
