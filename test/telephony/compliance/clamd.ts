import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = ['/usr/sbin/clamd', '/usr/local/sbin/clamd'].find((path) => existsSync(path));
export const clamdAbsent = PROGRAM === undefined;
if (clamdAbsent && process.env.CI === 'true') throw new Error('absent: clamd (clamav-daemon)');

export interface Clamd {
  readonly address: string;
  stop(): void;
}

export const signatureOf = (bytes: Uint8Array, name: string): string =>
  `${createHash('md5').update(bytes).digest('hex')}:${bytes.length}:${name}\n`;

export async function startClamd(signatures: string, largest: number): Promise<Clamd> {
  const folder = mkdtempSync(join(tmpdir(), 'clamd-'));
  const database = join(folder, 'database');
  mkdirSync(database);
  writeFileSync(join(database, 'own.hdb'), signatures);
  const socket = join(folder, 'clamd.ctl');
  const settings = [
    'Foreground yes',
    `LocalSocket ${socket}`,
    `DatabaseDirectory ${database}`,
    `TemporaryDirectory ${folder}`,
    `StreamMaxLength ${largest}`,
    'SelfCheck 0',
    'ConcurrentDatabaseReload no',
  ];
  writeFileSync(join(folder, 'clamd.conf'), `${settings.join('\n')}\n`);
  const child = spawn(PROGRAM as string, ['--config-file', join(folder, 'clamd.conf')]);
  await new Promise<void>((resolve, reject) => {
    const look = (text: Buffer) => {
      if (!/Listening|Self checking|SelfCheck|Not loading PUA|Bytecode support/i.test(text.toString()))
        return;
      if (existsSync(socket)) resolve();
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.on('exit', (code) => reject(new Error(`clamd ended with ${code}`)));
  });
  const stop = () => {
    child.removeAllListeners('exit');
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  return { address: `unix:${socket}`, stop };
}
