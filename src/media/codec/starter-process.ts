import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { connectionsOf, type FromStarter, type StartRequest, type ToStarter } from './starter-protocol.ts';

const ENDS = process.argv[2] ?? '';
const running = new Map<number, ChildProcess>();
const connections: Socket[] = [];
let next: StartRequest | null = null;

const notify = (message: FromStarter): void => void process.send?.(message);

/** A request and its connections arrive by separate channels, so the program starts when both are here. */
function startWhenMet(): void {
  if (next === null || connections.length < connectionsOf(next.input)) return;
  const request = next;
  next = null;
  start(request, connections.splice(0, connectionsOf(request.input)));
}

function start(request: StartRequest, sockets: readonly Socket[]): void {
  const { id, command, args, input, files = [] } = request;
  const opened: number[] = [];
  const open = (path: string): number => {
    const file = openSync(path, 'r');
    opened.push(file);
    return file;
  };
  try {
    const first = input === null ? [] : [open(input)];
    const stdio = [...first, ...sockets, ...files.map(open)];
    const child = spawn(command, args, { stdio, env: {}, cwd: '/', detached: true });
    follow(id, child);
  } catch (error) {
    notify({ kind: 'failed', id, message: (error as Error).message });
  } finally {
    for (const socket of sockets) socket.destroy();
    for (const file of opened) closeSync(file);
  }
}

/** Kills the child's process group: a surviving grandchild would keep the pipes open. */
function kill({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid as number), 'SIGKILL');
  } catch {} // it has just ended
}

function follow(id: number, child: ChildProcess): void {
  child.on('error', (error) => notify({ kind: 'failed', id, message: error.message }));
  if (child.pid === undefined) return;
  running.set(id, child);
  child.on('exit', (code, signal) => {
    running.delete(id);
    notify({ kind: 'ended', id, code, signal });
  });
  notify({ kind: 'started', id, pid: child.pid });
}

process.on('message', (message: ToStarter) => {
  if (message.kind === 'kill') {
    const child = running.get(message.id);
    if (child) kill(child);
    return;
  }
  next = message;
  startWhenMet();
});

// The programs would otherwise run to their limits without a reader.
process.on('disconnect', () => {
  for (const child of running.values()) kill(child);
  rmSync(dirname(ENDS), { recursive: true, force: true });
  process.exit(0);
});
// The server's own signals reach its whole group; the server decides when its programs end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
  socket.on('error', () => undefined);
  connections.push(socket);
  startWhenMet();
}).listen(ENDS, () => notify({ kind: 'ready' }));
