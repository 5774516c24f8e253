import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { phonemesProgram } from './addon.ts';

export interface PronunciationRequest {
  readonly library: string;
  readonly data: string;
  readonly voice: string;
  readonly text: string;
}

const TIMEOUT_MS = 5000;
const NO_VOICE = 0xffffffff;

export async function pronounceOnce({ library, data, voice, text }: PronunciationRequest): Promise<string> {
  const child = spawn(phonemesProgram, [library, data], { timeout: TIMEOUT_MS, env: {} });
  const parts: Buffer[] = [];
  let said = '';
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.stderr.on('data', (part: Buffer) => {
    said += part;
  });
  child.stdin.on('error', () => {}); // it has ended, and says why
  child.stdin.end(requestOf(voice, text));
  const ended = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
  });
  const answer = Buffer.concat(parts);
  if (answer.length < 4) throw new Error(said.trim() || `${phonemesProgram} ended with ${ended}`);
  if (answer.readUInt32LE(0) === NO_VOICE) throw new Error(`${data} has no voice ${voice}`);
  return answer.toString('utf8', 4).trim();
}

const requestOf = (voice: string, text: string): Buffer => {
  const request = Buffer.from(`${voice}\nplain\n${text}\n`);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(request.length);
  return Buffer.concat([size, request]);
};

export interface PhonemeSandbox {
  readonly environmentBytes: number;
  readonly filtered: boolean;
}

export async function phonemeSandbox(
  place: Pick<PronunciationRequest, 'library' | 'data'>,
): Promise<PhonemeSandbox> {
  const child = spawn(phonemesProgram, [place.library, place.data], { timeout: TIMEOUT_MS, env: {} });
  child.stdin.on('error', () => {});
  child.stdin.write(requestOf('en-us', 'one'));
  try {
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'close').then(() => Promise.reject(ended())),
    ]);
    const folder = `/proc/${child.pid}`;
    const status = await readFile(`${folder}/status`, 'utf8');
    const environment = await readFile(`${folder}/environ`);
    return { environmentBytes: environment.length, filtered: /^Seccomp:\s+2$/m.test(status) };
  } finally {
    child.kill('SIGKILL');
  }
}

const ended = (): Error => new Error(`${phonemesProgram} ended without an answer`);
